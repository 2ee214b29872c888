/** Characters that no text may contain, wherever it comes from (decision 0002). */

/**
 * C0 except tab, line feed and the carriage return before one, DEL and C1: PostgreSQL cannot store
 * U+0000, XML cannot contain the others of C0, and a terminal acts on any of them.
 */
// oxlint-disable-next-line no-control-regex -- this is what it looks for
const controlCharacters = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]|\r(?!\n)/
/** They show a text in another order than it is stored and signed (CVE-2021-42574). */
const directionalOverrides = /[\u202a-\u202e\u2066-\u2069]/

/** Whether one stands in JSON as it is: JSON.parse refuses those of C0 itself. */
export const mayContainForbidden = (json: string): boolean => unescaped.test(json)

// oxlint-disable-next-line no-control-regex -- this is what it looks for
const unescaped = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/

/** Why the text is refused; undefined when it is accepted. */
export function forbiddenCharacterMessage(text: string): string | undefined {
  const control = controlCharacters.exec(text)?.[0]
  if (control !== undefined) {
    return `The text contains the control character ${codePointOf(control)}. Remove it.`
  }
  const override = directionalOverrides.exec(text)?.[0]
  if (override !== undefined) {
    return `The text contains the bidirectional control character ${codePointOf(override)}. Remove it.`
  }
  if (text.isWellFormed()) return undefined
  return 'The text contains half of a surrogate pair (\\ud800 to \\udfff). Send both halves or none.'
}

export const isText = (text: string): boolean => forbiddenCharacterMessage(text) === undefined

/** Whether a field of one line takes the text. */
export const isLine = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && !/[\t\r\n]/.test(text) && isText(text)

const codePointOf = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
