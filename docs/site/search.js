// What the search of the docs finds, and in which order. Nothing here touches a page.

/**
 * @typedef {import('./search.d.ts').Entry} Entry
 * @typedef {import('./search.d.ts').Found} Found
 */

const resultsMax = 12
const excerptLength = 110

/** @param {string} text */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean)

/** A shorter word is looked for at the beginning of words only: sso is not meant by processor. */
const insideMin = 4

/**
 * How well an entry matches one word: a title counts more than the page, and that more than the
 * text; the beginning of a word is enough. 0 is no match.
 * @param {{ title: string[], page: string[], also: string[], text: string }} entry
 * @param {string} word
 */
const scoreOf = ({ title, page, also, text }, word) => {
  if (title.includes(word)) return 12
  if (title.some((one) => one.startsWith(word))) return 8
  if (page.includes(word)) return 4
  if ([...page, ...also].some((one) => one.startsWith(word))) return 3
  if (` ${text}`.search(new RegExp(`[^\\p{L}\\p{N}]${word}`, 'u')) >= 0) return 2
  return word.length >= insideMin && text.includes(word) ? 1 : 0
}

/**
 * Every word of the query must match.
 * @param {readonly Entry[]} entries
 * @param {string} query
 * @returns {Found[]}
 */
export const find = (entries, query) => {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const whole = query.trim().toLowerCase()
  const scored = entries.map((entry) => {
    const prepared = {
      title: wordsOf(entry.title),
      page: wordsOf(entry.page),
      also: wordsOf((entry.words ?? []).join(' ')),
      text: entry.text.toLowerCase(),
    }
    const scores = words.map((word) => scoreOf(prepared, word))
    const called = (entry.words ?? []).map((one) => one.toLowerCase())
    const isName = entry.names?.some((name) => name.toLowerCase() === whole)
    if (isName === true || called.includes(whole)) return { entry, score: Infinity }
    if (whole.length >= insideMin && called.some((one) => one.startsWith(whole)))
      return { entry, score: 25 }
    const isTitle = entry.title.toLowerCase() === whole
    const total = scores.reduce((sum, one) => sum + one, isTitle ? 20 : 0)
    // Of equal sections the page comes first.
    return { entry, score: scores.includes(0) ? 0 : total + (entry.page === '' ? 1 : 0) }
  })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, resultsMax)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words) }))
}

/**
 * The text around the first word that is found in it.
 * @param {string} text
 * @param {readonly string[]} words
 */
const excerptOf = (text, words) => {
  const lower = text.toLowerCase()
  const at = words.map((word) => lower.indexOf(word)).find((one) => one >= 0) ?? 0
  const start = at < 40 ? 0 : text.lastIndexOf(' ', at - 30) + 1
  const end = start + excerptLength
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}
