/**
 * Parses the JSON texts of a document that several parts of it show, one right after the other: its
 * payment, and its finance. Nobody may change the result.
 */

/** The same parser, which remembers the last result. More would keep long texts in memory. */
export const rememberingLast = <T>(parse: (text: string) => T): ((text: string) => T) => {
  let last: { text: string; result: T } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, result: parse(text) }
    return last.result
  }
}
