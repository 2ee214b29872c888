/** What an import takes as it is and warns of, by the codes in its report (contract 12). */
export const importWarnings = {
  buyer_differs:
    'The file names another buyer: by its VAT number, else its company number, its electronic address or its name, where both sides have one.',
  payee_differs:
    'The file is to be paid to somebody else than your organization, or to another account than the IBAN of your profile. The draft keeps neither: it is paid to you.',
  imported_before:
    'A file of the same number and type was imported on this connection before, or it is an export of a document that is there. `record` is its id, the newest one. Cancelled drafts do not count.',
  too_long:
    'A text of the file is longer than its field, and was left off. `file` has its length, `record` the bound. A number that is left off is not compared with earlier ones (`imported_before`).',
  terms_differ:
    'The payment terms of the file name another due date than its due date, in `record`, which counts; the terms are left off.',
  default_terms:
    'The file has neither payment terms nor a due date, so that the draft has those that are the default of the connection.',
} as const

export const importWarningCodes = Object.keys(importWarnings) as (keyof typeof importWarnings)[]
