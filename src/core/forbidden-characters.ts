/** Characters that no text may contain, wherever it comes from (decision 0002). */

/** PostgreSQL cannot store U+0000, and XML cannot contain the others. */
// oxlint-disable-next-line no-control-regex -- this is what it looks for
const controlCharacters = /[\0-\x08\v\f\x0e-\x1f]/

/** Why the text is refused; undefined when it is accepted. */
export function forbiddenCharacterMessage(text: string): string | undefined {
  const control = controlCharacters.exec(text)?.[0].charCodeAt(0)
  if (control !== undefined) {
    const code = control.toString(16).toUpperCase().padStart(4, '0')
    return `The text contains the control character U+${code}. Remove it.`
  }
  if (text.isWellFormed()) return undefined
  return 'The text contains half of a surrogate pair (\\ud800 to \\udfff). Send both halves or none.'
}
