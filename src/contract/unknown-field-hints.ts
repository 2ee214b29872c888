/**
 * Problems for fields that callers often send to operations that do not have them. They say what to
 * do instead (contract 2: messages teach).
 */
import type { Problem } from './problem.ts'

export type UnknownFieldHints = Readonly<
  Record<string, Pick<Problem, 'code' | 'message'> & { fix: string }>
>

const taxIsPerLine = {
  code: 'tax_is_per_line',
  message: 'Each line has its own tax; that of the document is derived from its lines.',
  fix: 'set line_items[].tax_rate on each line',
} as const

/** A document-level tax field is refused with a teaching error (specification 7). */
export const documentFieldHints: UnknownFieldHints = {
  tax: taxIsPerLine,
  tax_rate: taxIsPerLine,
  tax_amount: taxIsPerLine,
  vat: taxIsPerLine,
}

/** POST /pay pays the whole balance, now. */
export const payFieldHints: UnknownFieldHints = {
  amount: {
    code: 'unknown_field',
    message: 'A payment is always of the whole balance.',
    fix: 'omit amount; to lower the balance, issue a credit note',
  },
  scheduled_for: {
    code: 'unknown_field',
    message: 'This operation pays now.',
    fix: 'POST /v1/documents/{id}/transition with {"to": "payment_scheduled", "scheduled_for": …}',
  },
}
