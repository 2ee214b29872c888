/**
 * «Did you mean» suggestions for refused names (contract 1).
 *
 * Names are compared without case, `-` and `_`, so that `taxRate`, `tax-rate` and `TAXRATE` match
 * `tax_rate`. At most two typing errors are tolerated, and one per three characters. If no name is
 * close, a candidate that is one word of the refused name is suggested.
 */

/** Longer words are not typing errors, and comparing them would cost time. */
const maxWordCharacters = 64
const maxErrors = 2
const charactersPerError = 3

/** The closest candidate, the first one among equals; undefined when none is close. */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWordCharacters) return undefined
  const plainWord = normalized(word)
  let best: string | undefined
  let fewestErrors = Math.min(maxErrors, Math.floor(plainWord.length / charactersPerError)) + 1
  const names = [...candidates]
  for (const candidate of names) {
    const plainCandidate = normalized(candidate)
    if (Math.abs(plainCandidate.length - plainWord.length) >= fewestErrors) continue
    const errors = editDistance(plainWord, plainCandidate)
    if (errors >= fewestErrors) continue
    best = candidate
    fewestErrors = errors
  }
  return best ?? candidateInWords(word, names)
}

/** A candidate that is one word of the name: `type` for `document_type`. */
function candidateInWords(word: string, candidates: readonly string[]): string | undefined {
  const words = word.toLowerCase().split(/[-_]/)
  return words.length === 1 ? undefined : candidates.find((name) => words.includes(name))
}

/** Whether the two are as close as a suggestion must be. */
export function isCloseMatch(word: string, other: string): boolean {
  return closestMatch(word, [other]) !== undefined
}

function normalized(word: string): string {
  return word.replaceAll(/[-_]/g, '').toLowerCase()
}

/** Damerau–Levenshtein distance (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        cellAt(previous, column) + 1,
        cellAt(current, column - 1) + 1,
        cellAt(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? cellAt(beforePrevious, column - 2) + 1 : Infinity,
      )
    }
    beforePrevious = previous
    previous = current
  }
  return cellAt(previous, b.length)
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
