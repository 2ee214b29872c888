/** Texts of a file that a draft does not take: a field holds a text as it is, or not at all. */
import type { ImportWarning } from '../../contract/shapes/imports.ts'

export const tooLong = (field: string, text: string, maxLength: number): ImportWarning => ({
  code: 'too_long',
  field,
  message: 'The text is longer than its field, and was left off. Shorten it in the file.',
  file: `${text.length} characters`,
  record: `at most ${maxLength} characters`,
})
