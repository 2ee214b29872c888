/** The formats of `GET /v1/documents/{id}/render` (contract 4 and 12). */
export const renderFormats = [
  'json',
  'csv',
  'ubl',
  'cii',
  'peppol_cii',
  'pdf',
  'facturx',
  'invoice_response',
] as const

/** Those that follow rules of others. */
export const checkedFormats = [
  'ubl',
  'cii',
  'peppol_cii',
  'facturx',
  'invoice_response',
] as const satisfies RenderFormat[]

export type RenderFormat = (typeof renderFormats)[number]

/** What `Accept` asks for, where no `format` is given. */
export const formatsByMediaType: Readonly<Record<string, RenderFormat>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/xml': 'ubl',
  'text/xml': 'ubl',
  'application/pdf': 'pdf',
}
