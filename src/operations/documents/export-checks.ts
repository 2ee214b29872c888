/** What an export would break, said before it is sent; nothing is refused for it (domain 7). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import { ChecksQuery, ExportChecks } from '../../contract/shapes/render.ts'
import { exportProblems } from '../../core/interop/export-checks.ts'
import { formatsOf } from '../../core/interop/render-formats.ts'
import { exportedDocument } from './exported-documents.ts'
import { documentInPath, prefetchDocument } from './document-lookup.ts'
import { formatNotAvailable } from './render.ts'
import { operation } from '../operation.ts'

export const checks = operation({
  id: 'documents.checks',
  workClass: 'heavy',
  method: 'GET',
  path: '/v1/documents/{id}/checks',
  family: 'documents',
  summary: 'Check a document before its export',
  description:
    'Says which rules of EN 16931, and for `ubl`, `peppol_cii` and `invoice_response` of Peppol, the export would break, also of a draft; for `pdf` and `facturx`, also the first text that their font cannot show. Issuing never refuses for it.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: ChecksQuery,
  response: ExportChecks,
  errors: ['not_found', 'sandbox_isolation', 'not_acceptable', 'integrity_failure'],
}).prefetches(prefetchDocument, async (call, { params, query }, prefetched) => {
  const { document } = await documentInPath(call, params.id, prefetched)
  const type = document.type as DocumentTypeName
  if (!formatsOf(type).includes(query.format)) throw formatNotAvailable(type, query.format)
  const exported = await exportedDocument(call, document, query.format)
  return { body: { problems: exportProblems(exported, query.format) } }
})
