/** Exports of a document, as it was issued (domain 7). */
import { hash } from 'node:crypto'
import Negotiator from 'negotiator'
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { type ErrorCode, type Refusal, invalidRequest, refuse } from '../../contract/errors.ts'
import { type RenderFormat, formatsByMediaType } from '../../contract/render-formats.ts'
import { RenderQuery, RenderedDocument } from '../../contract/shapes/render.ts'
import { notExportable } from '../../core/interop/invoice-answer.ts'
import { profileIncomplete } from '../../core/interop/missing-fields.ts'
import { formatsOf, renderers } from '../../core/interop/render-formats.ts'
import { documentPdf } from './document-pdf.ts'
import { exportedDocument } from './exported-documents.ts'
import { documentInPath, prefetchDocument } from './document-lookup.ts'
import { operation } from '../operation.ts'
import { ExactBytes, JsonText } from '../reply-bodies.ts'

const asksForProof = (query: unknown): boolean => (query as { proof?: unknown }).proof === '1'

export const render = operation({
  id: 'documents.render',
  method: 'GET',
  path: '/v1/documents/{id}/render',
  family: 'documents',
  summary: 'Export a document',
  description:
    'As it was issued, the same bytes for both sides: `ubl` is UBL 2.1 (invoices and credit notes as Peppol BIS Billing 3.0, orders and delivery notes as Peppol BIS 3, quotes and goods receipts), `cii` the Cross Industry Invoice (EN 16931), `peppol_cii` the same addressed to receivers in the Peppol network, `pdf` a tagged PDF/A-3 that carries `cii` if the profiles are complete, `facturx` one that always does. Our own tests assert PDF/A; no independent validator has checked it. `invoice_response` is what the buyer has answered to an invoice or credit note, by its state (Peppol BIS Invoice Response 3); a state that has no response is refused with 409 `conflict` (`not_exportable`). With `proof=1`, which needs `provenance:read`, the PDF also carries the caller’s proof bundle and prints its digest; the published verifiers take the PDF as it is. `Accept` chooses where `format` does not; a media type with parameters, such as `text/csv; charset=utf-8`, needs parameters that are true of it. Drafts and sandbox documents are marked.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: RenderQuery,
  queryRequires: {
    appliesTo: asksForProof,
    family: 'provenance',
    scopes: ['documents:read', 'provenance:read'],
  },
  response: RenderedDocument,
  errors: [
    'not_found',
    'sandbox_isolation',
    'conflict',
    'not_acceptable',
    'not_enabled',
    'integrity_failure',
    'service_unavailable',
  ] as ErrorCode[],
}).prefetches(prefetchDocument, async (call, { params, query }, prefetched) => {
  const { document } = await documentInPath(call, params.id, prefetched)
  const type = document.type as DocumentTypeName
  const format = query.format ?? preferredFormat(call.accept, type)
  const renderer = renderers[format]
  if (!formatsOf(type).includes(format)) throw formatNotAvailable(type, format)
  if (renderer.text !== undefined && query.proof !== undefined) throw noProofIn(format)
  const exported = await call.context.database.perform('heavy', call.requester, ({ read }) =>
    exportedDocument({ ...call, read }, document, format),
  )
  const obstacle = exported.answer?.obstacle
  if (obstacle !== undefined) throw notExportable(obstacle, document.status)
  const missing = renderer.missing?.(exported) ?? []
  if (missing.length > 0) throw profileIncomplete(missing)
  const rendered =
    renderer.text?.(exported) ??
    (await documentPdf(call, document, { exported, hasProof: query.proof !== undefined }))
  return {
    body: typeof rendered === 'string' ? new JsonText(rendered) : new ExactBytes(rendered),
    etag: `"${hash('sha256', rendered)}"`,
    headers: {
      'Content-Type': renderer.mediaType,
      'Content-Disposition': `attachment; filename="${exported.number}.${renderer.extension}"`,
      Vary: 'Accept',
    },
  }
})

export const formatNotAvailable = (type: DocumentTypeName, format: RenderFormat): Refusal => {
  const available = formatsOf(type)
  return refuse(
    'not_acceptable',
    `A document of type ${type} has no format ${format}: ask for one of ${available.join(', ')}.`,
    { available },
  )
}

const noProofIn = (format: RenderFormat): Refusal =>
  invalidRequest({
    param: 'proof',
    code: 'invalid_value',
    message: `An export as ${format} carries no proof.`,
    fix: 'ask for format=pdf, or download the bundle with GET /v1/documents/{id}/export',
  })

/** JSON unless the header prefers another one that the type has. */
const preferredFormat = (accept: string | undefined, type: DocumentTypeName): RenderFormat => {
  if (accept === undefined) return 'json'
  const available = formatsOf(type)
  const offered = Object.keys(formatsByMediaType).filter((mediaType) =>
    available.includes(formatsByMediaType[mediaType]!),
  )
  const [mediaType] = new Negotiator({ headers: { accept } }).mediaTypes(offered)
  if (mediaType !== undefined) return formatsByMediaType[mediaType]!
  const known = offered.map((one) => one.replace(/;.*/, '')).join(', ')
  throw refuse(
    'not_acceptable',
    `Accept names nothing that a document of type ${type} can be: send one of ${known}, or format.`,
    { available },
  )
}
