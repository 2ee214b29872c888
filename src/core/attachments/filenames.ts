/**
 * Names of files (contract 4): what is taken, and how a name travels in a header. A name is shown
 * to the other organization and written into its folders, so what could mislead a person or a file
 * system is refused, with the reason; nothing is changed silently.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'

/** Control characters, and those that turn the direction of writing or hide. */
const hiddenCharacters = new RegExp(
  [
    ...['[\\u0000-\\u001f', '\\u007f-\\u009f', '\\u061c', '\\u200b', '\\u200e', '\\u200f'],
    ...['\\u2028-\\u202e', '\\u2060-\\u2069', '\\ufeff', '\\ufff9-\\ufffb]'],
  ].join(''),
)

/** What is wrong with a name; undefined when nothing is. */
export const filenameProblem = (name: string | undefined): Problem | undefined => {
  const problem = (code: Problem['code'], message: string, fix: string): Problem => ({
    param: '/file',
    code,
    message,
    fix,
  })
  const filename = 'send it as filename="…" of the part `file`'
  if (name === undefined || name === '')
    return problem('required', 'The file has no name.', filename)
  if ([...name].length > limits.filenameMaxLength) {
    const most = `${limits.filenameMaxLength} characters`
    return problem('too_long', `The name is longer than ${most}.`, `use at most ${most}`)
  }
  if (name.includes('\ufffd')) {
    return problem('invalid_value', 'The name is not well-formed UTF-8.', 'encode it in UTF-8')
  }
  if (hiddenCharacters.test(name)) {
    return problem(
      'invalid_value',
      'The name has characters that cannot be seen: control characters, or ones that turn the direction of writing.',
      'use printable characters',
    )
  }
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return problem('invalid_value', 'The name is a path.', 'send the name of the file alone')
  }
  if (name.trim() !== name) {
    return problem('invalid_value', 'The name begins or ends with a blank.', 'leave the blank out')
  }
  return undefined
}

const token = '[A-Za-z0-9!#$&^_.+-]+'
const mediaTypePattern = new RegExp(`^${token}/${token}$`)

/** A media type without parameters, in lower case; undefined when it is none. */
export const mediaTypeOf = (text: string): string | undefined =>
  text.length <= limits.contentTypeMaxLength && mediaTypePattern.test(text)
    ? text.toLowerCase()
    : undefined

/**
 * Content-Disposition (RFC 6266): always a download, never shown in place. The plain form has what
 * ASCII can say of the name; the other one (RFC 8187) has all of it and wins where it is known.
 */
export const contentDisposition = (name: string): string => {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
