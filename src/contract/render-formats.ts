/** The formats that follow rules of others, or cannot say everything. */
export const checkedFormats = [
  'ubl',
  'cii',
  'peppol_cii',
  'pdf',
  'facturx',
  'invoice_response',
] as const

/** The formats of `GET /v1/documents/{id}/render` (contract 4 and 12). */
export const renderFormats = ['json', 'csv', ...checkedFormats] as const

export type RenderFormat = (typeof renderFormats)[number]

/**
 * What `Accept` asks for, where no `format` is given. A media range with parameters takes a media
 * type that has all of them (RFC 9110, 12.5.1), so these are all the parameters that are true.
 */
export const formatsByMediaType: Readonly<Record<string, RenderFormat>> = {
  'application/json; charset=utf-8': 'json',
  'text/csv; charset=utf-8; header=present': 'csv',
  'application/xml; charset=utf-8': 'ubl',
  'text/xml; charset=utf-8': 'ubl',
  'application/pdf': 'pdf',
}
