/**
 * Filenames (contract 4). The other organization sees a filename and may save a file under it, so a
 * name that could mislead a person or a file system is refused, never changed silently.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'

/** Control characters, bidirectional overrides and invisible characters. */
const hiddenCharacters = new RegExp(
  [
    ...['[\\u0000-\\u001f', '\\u007f-\\u009f', '\\u061c', '\\u200b', '\\u200e', '\\u200f'],
    ...['\\u2028-\\u202e', '\\u2060-\\u2069', '\\ufeff', '\\ufff9-\\ufffb]'],
  ].join(''),
)

export const filenameProblem = (name: string | undefined): Problem | undefined => {
  const problem = (code: Problem['code'], message: string, fix: string): Problem => ({
    param: '/file',
    code,
    message,
    fix,
  })
  if (name === undefined || name === '') {
    const fix = 'send filename="…" in the Content-Disposition of the part `file`'
    return problem('required', 'The file has no name.', fix)
  }
  if ([...name].length > limits.filenameMaxLength) {
    const maximum = `${limits.filenameMaxLength} characters`
    return problem('too_long', `The name is longer than ${maximum}.`, `use at most ${maximum}`)
  }
  if (name.includes('\ufffd')) {
    return problem('invalid_value', 'The name is not well-formed UTF-8.', 'encode it in UTF-8')
  }
  if (hiddenCharacters.test(name)) {
    return problem(
      'invalid_value',
      'The name contains control characters, invisible characters or bidirectional overrides.',
      'use printable characters',
    )
  }
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return problem('invalid_value', 'The name is a path.', 'send only the name of the file')
  }
  if (name.trim() !== name) {
    return problem('invalid_value', 'The name begins or ends with a space.', 'remove the space')
  }
  return undefined
}
