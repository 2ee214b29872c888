/** Texts of a file that a draft does not take: a field holds a text as it is, or not at all. */
import type { ImportWarning } from '../../contract/shapes/imports.ts'

/** Terms such as Net 30 that name another date than the due date beside them, which counts. */
export const termsDiffer = (terms: string, due: string): ImportWarning => ({
  code: 'terms_differ',
  field: 'payment_terms',
  message:
    'The terms name another due date than that of the file, which counts: they are left off.',
  file: terms.slice(0, 100),
  record: due,
})

export const tooLong = (field: string, text: string, maxLength: number): ImportWarning => ({
  code: 'too_long',
  field,
  message: 'The text is longer than its field, and was left off. Shorten it in the file.',
  file: `${text.length} characters`,
  record: `at most ${maxLength} characters`,
})
