/** Files attached to a document; their bytes leave by a signed link (http/pages/file-download.ts). */
import type { Call } from '../context.ts'
import { notFound } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import {
  Attachment,
  AttachmentLink,
  AttachmentPage,
  AttachmentFilters,
  FileUpload,
} from '../contract/shapes/attachments.ts'
import { attachFile } from '../changes/documents/attachments.ts'
import { notFoundOrIsolated } from '../changes/identity/sandbox-isolation.ts'
import { signDownloadLink } from '../core/attachments/download-links.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { visibleSideOf } from '../core/documents/projection.ts'
import {
  type AttachmentView,
  attachmentById,
  attachmentsOf,
} from '../store/documents/attachments.ts'
import { databaseNow } from '../store/sandbox/clocks.ts'
import { cursorsOf } from './paging.ts'
import { operation } from './operation.ts'
import { uuidOrNotFound } from './path-ids.ts'

const view = (seen: AttachmentView): Attachment => ({
  id: encodeId('att', seen.id),
  filename: seen.filename,
  content_type: seen.content_type,
  size: Number(seen.size),
  sha256: seen.sha256.toString('hex'),
  uploaded_by: seen.is_by_issuer ? 'issuer' : 'counterparty',
  created_at: seen.created_at,
})

/** The document's id, if the caller sees the document. */
const visibleDocumentId = async (call: Call, shown: string): Promise<string> => {
  const id = uuidOrNotFound('doc', shown)
  const { organization } = call
  const document = await call.context.documentById(id)
  if (document !== undefined && visibleSideOf(document, organization) !== undefined) return id
  throw await notFoundOrIsolated(call.read, organization.id, 'doc', shown)
}

export const list = operation({
  id: 'attachments.list',
  method: 'GET',
  path: '/v1/documents/{id}/attachments',
  family: 'documents',
  summary: 'List the attachments of a document, newest first',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: AttachmentFilters,
  response: AttachmentPage,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params, query }) => {
  const document = await visibleDocumentId(call, params.id)
  const { cursor, limit = limits.pageDefault } = query
  const cursors = cursorsOf(call, 'attachments', { document })
  const before = cursors.open(cursor)
  const rows = await attachmentsOf(call.read, document, { before, limit: limit + 1 })
  return { body: cursors.page(rows, limit, view, (row) => row.id) }
})

export const create = operation({
  id: 'attachments.create',
  method: 'POST',
  path: '/v1/documents/{id}/attachments',
  family: 'documents',
  summary: 'Attach a file to a document',
  description:
    'A form (`multipart/form-data`) with one part, `file`. Whoever sees the document may attach to it, in any of its states; attachments of a draft become visible to the counterparty when it is issued. The same Idempotency-Key replays when name, media type and bytes of the file are the same.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: FileUpload,
  takesFile: true,
  response: Attachment,
  status: 201,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params, body }) => {
  const seen = await attachFile(tx, {
    id: call.fileId!,
    organization: call.organization.id,
    document: uuidOrNotFound('doc', params.id),
    file: body.file,
    isStored: !call.dryRun,
  })
  const shown = view(seen)
  return {
    body: shown,
    location: `/v1/documents/${params.id}/attachments/${shown.id}`,
    resourceId: shown.id,
  }
})

export const get = operation({
  id: 'attachments.get',
  method: 'GET',
  path: '/v1/documents/{id}/attachments/{attachment_id}',
  family: 'documents',
  summary: 'Read an attachment, with a link to download it',
  description:
    'The link gives the bytes to whoever has it, without a key, for five minutes; read again for a fresh one.',
  since: '1.3.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: AttachmentLink,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const document = await visibleDocumentId(call, params.id)
  const id = decodeId('att', params.attachment_id)
  const seen = id === undefined ? undefined : await attachmentById(call.read, document, id)
  if (id === undefined || seen === undefined) throw notFound('attachment', params.attachment_id)
  const { config, keyring } = call.context
  const expiresAtMs = Date.parse(await databaseNow(call.read)) + limits.downloadLinkLifetimeMs
  const link = { attachment: id, organization: call.organization.id, expiresAtMs }
  return {
    body: {
      ...view(seen),
      download_url: `${config.baseUrl}/files/${signDownloadLink(keyring.fileLinks, link)}`,
      expires_at: new Date(expiresAtMs).toISOString(),
    },
  }
})
