/**
 * Did you mean: contract.md 1. Finds the known name that a refused one was meant to be.
 *
 * Names are compared without case, `-` and `_`, so that `taxRate`, `tax-rate` and `TAXRATE` are
 * `tax_rate`; beyond that at most two typing errors are forgiven, and one per three characters.
 * A candidate that is one word of a longer name is meant when nothing else is near.
 */

/** Longer words are nobody's typing error; comparing them would only cost time. */
const maxWordCharacters = 64
const maxErrors = 2
const charactersPerError = 3

/** The nearest candidate, the first one among equals, or undefined when none is near. */
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

/** A name that says more than it needs to: `document_type` where `type` is meant. */
function candidateInWords(word: string, candidates: readonly string[]): string | undefined {
  const words = word.toLowerCase().split(/[-_]/)
  return words.length === 1 ? undefined : candidates.find((one) => words.includes(one))
}

/** Whether one was meant by the other: as near as a suggestion has to be. */
export function isCloseMatch(word: string, other: string): boolean {
  return closestMatch(word, [other]) !== undefined
}

function normalized(word: string): string {
  return word.replaceAll(/[-_]/g, '').toLowerCase()
}

/**
 * Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions
 * and swaps of neighbours that turn one word into the other.
 */
function editDistance(one: string, other: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1]
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
  return cellAt(previous, other.length)
}

function cellAt(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
