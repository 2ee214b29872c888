/**
 * Finds the form of a text of payment terms (domain 3.5).
 *
 * Case, accents, spaces, `_`, commas, hyphens between words and a full stop at the end make no
 * difference, so a text is looked up by what is left: `Net-30 days` is `net#days` with the number
 * 30.
 */
import {
  type Placeholder,
  type TermsForm,
  type TermsLanguage,
  dayWords,
  termsForms,
  termsLanguages,
} from '../../contract/terms-forms.ts'

export type TermsValues = Partial<Record<'days' | 'percent' | 'early' | 'date', string>>

export interface TermsMatch {
  readonly form: TermsForm
  readonly values: Readonly<TermsValues>
}

/** The latest texts, since most documents have one of few, and every write asks several times. */
const matched = new Map<string, TermsMatch | undefined>()
const matchedMax = 256
/** Longer texts, which any caller may send, are not kept. */
const matchedLengthMax = 100

/** The form in which the text is written, and what it names; undefined for any other text. */
export function matchTerms(text: string): TermsMatch | undefined {
  if (text.length > matchedLengthMax) return findForm(text)
  if (matched.has(text)) return matched.get(text)
  const match = findForm(text)
  if (matched.size === matchedMax) matched.clear()
  matched.set(text, match)
  return match
}

function findForm(text: string): TermsMatch | undefined {
  const { key, found } = skeletonOf(text)
  const known = formsBySkeleton.get(key)
  // A text that spells a mark itself has fewer values than the form.
  if (known === undefined || known.names.length !== found.length) return undefined
  const values: TermsValues = {}
  for (const [i, name] of known.names.entries()) {
    const value = found[i]!
    // Only a percentage may have decimals.
    if (name === 'percent') values[name] = value.replace(',', '.')
    else if (name === 'date' || /^\d+$/.test(value)) values[name] = value
    else return undefined
  }
  return Object.freeze({ form: known.form, values: Object.freeze(values) })
}

/** The text of a phrase in which `valueOf` fills the places; a period has its first unit. */
export const writtenTerms = (
  phrase: string,
  language: TermsLanguage,
  valueOf: Record<keyof TermsValues, string>,
): string =>
  phrase.replaceAll(placeholders, (_, place: Placeholder) => {
    const value = valueOf[nameOf(place)]
    return isPeriod(place) ? `${value} ${dayWords[language][0]}` : value
  })

const placeholders = /\{([a-z ]+)\}/g

const nameOf = (place: Placeholder): keyof TermsValues => {
  if (place === 'period') return 'days'
  return place === 'early period' ? 'early' : place
}

const isPeriod = (place: Placeholder): boolean => place.endsWith('period')

const dateMark = '@'
const numberMark = '#'

/** What is left of a text, and the dates and numbers in it, in their order. */
const skeletonOf = (text: string): { key: string; found: string[] } => {
  const found: string[] = []
  const marked = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/[–—‑]/g, '-')
    .replaceAll(/\d{4}-\d{2}-\d{2}|\d+(?:[.,]\d+)?/g, (value) => {
      found.push(value)
      return value.includes('-') ? dateMark : numberMark
    })
  const key = marked
    .replaceAll(/(?<=[\p{L}#@])-(?=[\p{L}#@])/gu, '')
    .replaceAll(/[\s_,]/g, '')
    .replace(/\.$/, '')
  return { key, found }
}

interface KnownForm {
  form: TermsForm
  names: readonly (keyof TermsValues)[]
}

/** The spellings of a phrase: every unit of a period, and umlauts written with an e. */
const spellingsOf = (phrase: string, language: TermsLanguage): string[] => {
  const units = phrase.includes('period}') ? dayWords[language] : ['']
  const filled = units.flatMap((early) =>
    units.map((net) =>
      phrase.replace('{early period}', `{early} ${early}`).replace('{period}', `{days} ${net}`),
    ),
  )
  return filled.flatMap((spelling) => [
    spelling,
    spelling.replaceAll(/[äöü]/g, (umlaut) => transcriptions[umlaut]!),
  ])
}

const transcriptions: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' }

const formsBySkeleton = new Map<string, KnownForm>(
  termsForms.flatMap((form) =>
    (Object.keys(termsLanguages) as TermsLanguage[]).flatMap((language) =>
      form.phrases[language]
        .flatMap((phrase) => spellingsOf(phrase, language))
        .map((spelling): [string, KnownForm] => {
          const names = [...spelling.matchAll(placeholders)].map(([, place]) =>
            nameOf(place as Placeholder),
          )
          const sample = spelling.replaceAll(placeholders, (_, place) =>
            place === 'date' ? '2000-01-01' : '0',
          )
          return [skeletonOf(sample).key, { form, names }]
        }),
    ),
  ),
)
