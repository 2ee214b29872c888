/**
 * What somebody has entered and not saved, in this browser only: never sent by itself, a few of them,
 * for a week, and gone once they sign out. A draft holds business data, but no credential.
 */
import { type Draft, emptyDraft, newLine } from './draft.ts'

/** The document of an organization that a person edits; `new` is one that is not stored yet. */
export interface DraftPlace {
  user: string
  organization: string
  document: string
  /** That it was edited from; null for a new document. */
  revision: number | null
}

export interface KeptDraft {
  at: string
  revision: number | null
  draft: Draft
}

const indexKey = 'kept-drafts'
const keptMost = 10
const keptDays = 7
const longestText = 200_000

type Index = readonly (readonly [key: string, at: string])[]

const keyOf = ({ user, organization, document }: DraftPlace): string =>
  `kept-draft ${user} ${organization} ${document}`

const index = (): Index => JSON.parse(localStorage.getItem(indexKey) ?? '[]') as Index

const isYoung = (at: string): boolean => Date.now() - Date.parse(at) < keptDays * 86_400_000

/** Whether it is kept: it may be too long, or the browser may have no room. */
export const keepDraft = (place: DraftPlace, draft: Draft): boolean => {
  const key = keyOf(place)
  const at = new Date().toISOString()
  const text = JSON.stringify({ at, revision: place.revision, draft } satisfies KeptDraft)
  forgetDraft(place)
  if (text.length > longestText) return false
  const others = index().slice(1 - keptMost)
  try {
    localStorage.setItem(key, text)
    storeIndex([...others, [key, at]])
    return true
  } catch {
    // A browser that is full, or that stores nothing, must not keep anybody from saving.
    localStorage.removeItem(key)
    return false
  }
}

export const keptDraft = (place: DraftPlace): KeptDraft | undefined => {
  storeIndex(index())
  const text = localStorage.getItem(keyOf(place))
  if (text === null) return undefined
  const { draft, ...kept } = JSON.parse(text) as KeptDraft
  return { ...kept, draft: { ...emptyDraft, ...draft, lines: draft.lines.map(asNewLine) } }
}

export const forgetDraft = (place: DraftPlace): void =>
  storeIndex(index().filter(([key]) => key !== keyOf(place)))

/** The next person at this browser finds nothing. */
export const forgetAllDrafts = (): void => storeIndex([])

/** The ids of the rows of a form begin again with each load. */
const asNewLine = ({ id: _, ...line }: Draft['lines'][number]) => newLine(line)

/** Removes what the index does not name, and what is too old. */
const storeIndex = (wanted: Index): void => {
  const young = wanted.filter(([, at]) => isYoung(at))
  const keys = new Set(young.map(([key]) => key))
  for (const key of Object.keys(localStorage))
    if (key.startsWith('kept-draft ') && !keys.has(key)) localStorage.removeItem(key)
  localStorage.setItem(indexKey, JSON.stringify(young))
}
