/**
 * Filenames (contract 4). The other organization sees a filename and may save a file under it, so a
 * name that could mislead a person or a file system is refused, never changed silently.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { visiblePattern } from '../../contract/shapes/field-types.ts'

/**
 * Characters that nobody sees: controls, line separators, bidirectional overrides, everything that
 * a font may leave out, and the blank Braille pattern. Two names that differ in one of them look
 * the same. The zero-width joiners stay: Persian, scripts of India, and emoji are written with
 * them.
 */
const invisibleCharacter =
  /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\u200c\u200d]]/v

const visibleCharacter = new RegExp(visiblePattern, 'v')

export const filenameProblem = (name: string | undefined): Problem | undefined => {
  const problem = (code: Problem['code'], message: string, fix: string): Problem => ({
    param: '/file',
    code,
    message,
    fix,
  })
  if (name === undefined || name === '') {
    const fix = 'send filename="…" in the Content-Disposition of the part `file`'
    return problem('required', 'Must have a name.', fix)
  }
  if ([...name].length > limits.filenameMaxLength) {
    const maximum = `${limits.filenameMaxLength} characters`
    return problem('too_long', `The name is longer than ${maximum}.`, `use at most ${maximum}`)
  }
  if (name.includes('\ufffd')) {
    return problem('invalid_value', 'The name is not well-formed UTF-8.', 'encode it in UTF-8')
  }
  const invisible = invisibleCharacter.exec(name)?.[0].codePointAt(0)
  if (invisible !== undefined) {
    const code = invisible.toString(16).toUpperCase().padStart(4, '0')
    const message = `The name contains the invisible character U+${code}.`
    return problem('invalid_value', message, 'remove it')
  }
  if (!visibleCharacter.test(name)) {
    const fix = 'use a letter, a digit, a punctuation mark or a symbol'
    return problem('invalid_value', 'The name has no visible character.', fix)
  }
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return problem('invalid_value', 'The name is a path.', 'send only the name of the file')
  }
  if (name.trim() !== name) {
    return problem('invalid_value', 'The name begins or ends with a space.', 'remove the space')
  }
  return undefined
}
