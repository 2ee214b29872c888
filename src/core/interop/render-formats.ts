/** The formats of exports, and which type of document has which (domain 7). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import type { RenderFormat } from '../../contract/render-formats.ts'
import { ciiInvoice, peppolCiiInvoice } from './cii-invoice.ts'
import { documentCsv } from './document-csv.ts'
import { documentJson } from './document-json.ts'
import type { ExportedDocument } from './exported-document.ts'
import { missingFields } from './missing-fields.ts'
import { ublInvoice } from './ubl-invoice.ts'
import { ublInvoiceResponse } from './ubl-invoice-response.ts'
import { ublDespatchAdvice, ublOrder, ublQuotation, ublReceiptAdvice } from './ubl-trade.ts'

interface Renderer {
  mediaType: string
  extension: string
  /** Every type without these. */
  types?: readonly DocumentTypeName[]
  missing?(document: ExportedDocument): string[]
  /** Undefined for a PDF, which is made in a thread of its own. */
  text?(document: ExportedDocument): string
  /** Says what the buyer has answered, and not what was issued. */
  isAnswer?: true
}

const invoices = ['invoice', 'credit_note'] as const

const ublWriters: Readonly<
  Partial<Record<DocumentTypeName, (document: ExportedDocument) => string>>
> = {
  invoice: ublInvoice,
  credit_note: ublInvoice,
  purchase_order: ublOrder,
  quote: ublQuotation,
  delivery_note: ublDespatchAdvice,
  goods_receipt: ublReceiptAdvice,
}

export const renderers: Readonly<Record<RenderFormat, Renderer>> = {
  json: { mediaType: 'application/json', extension: 'json', text: documentJson },
  csv: { mediaType: 'text/csv; charset=utf-8', extension: 'csv', text: documentCsv },
  ubl: {
    mediaType: 'application/xml',
    extension: 'xml',
    types: Object.keys(ublWriters) as DocumentTypeName[],
    text: (document) => ublWriters[document.type]!(document),
    missing: (document) => missingFields(document, 'ubl'),
  },
  cii: {
    mediaType: 'application/xml',
    extension: 'cii.xml',
    types: invoices,
    text: ciiInvoice,
    missing: (document) => missingFields(document, 'cii'),
  },
  peppol_cii: {
    mediaType: 'application/xml',
    extension: 'peppol.cii.xml',
    types: invoices,
    text: peppolCiiInvoice,
    missing: (document) => missingFields(document, 'peppol_cii'),
  },
  pdf: { mediaType: 'application/pdf', extension: 'pdf' },
  /** The same as the PDF, which then surely carries the XML. */
  facturx: {
    mediaType: 'application/pdf',
    extension: 'pdf',
    types: invoices,
    missing: (document) => missingFields(document, 'cii'),
  },
  invoice_response: {
    mediaType: 'application/xml',
    extension: 'response.xml',
    types: invoices,
    isAnswer: true,
    text: ublInvoiceResponse,
    missing: (document) => missingFields(document, 'invoice_response'),
  },
}

/** What a format lacks, also where it is optional: a PDF then carries no XML. */
export const gapsIn = (document: ExportedDocument, format: RenderFormat): string[] =>
  format === 'pdf' && formatsOf(document.type).includes('facturx')
    ? gapsIn(document, 'facturx')
    : (renderers[format].missing?.(document) ?? [])

/** The Factur-X of a PDF; undefined if the type has none, or the profiles lack something. */
export const facturXOf = (document: ExportedDocument): string | undefined => {
  const isInvoice = formatsOf(document.type).includes('facturx')
  return isInvoice && gapsIn(document, 'facturx').length === 0 ? ciiInvoice(document) : undefined
}

/** The formats that a type has. */
export const formatsOf = (type: DocumentTypeName): RenderFormat[] =>
  (Object.keys(renderers) as RenderFormat[]).filter(
    (format) => renderers[format].types?.includes(type) !== false,
  )
