/** Files attached to a document, downloaded by a signed link (http/pages/file-download.ts). */
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  Attachment,
  AttachmentLink,
  AttachmentPage,
  AttachmentFilters,
  FileUpload,
} from '../../contract/shapes/attachments.ts'
import { attachFile } from '../../changes/documents/attachments.ts'
import { signDownloadLink } from '../../core/attachments/download-links.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import {
  type AttachmentView,
  attachmentById,
  attachmentsOf,
} from '../../store/documents/attachments.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { changeOfDocument } from './replies.ts'
import { visibleDocumentId } from './document-lookup.ts'
import { openPage } from '../paging.ts'
import { operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'

const toAttachment = (row: AttachmentView): Attachment => ({
  id: encodeId('att', row.id),
  filename: row.filename,
  content_type: row.content_type,
  size: Number(row.size),
  sha256: row.sha256.toString('hex'),
  uploaded_by: row.is_by_issuer ? 'issuer' : 'counterparty',
  created_at: row.created_at,
})

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
  summaryFields: ['id', 'filename', 'content_type', 'size', 'created_at'],
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params, query }) => {
  const document = await visibleDocumentId(call, params.id)
  const page = openPage(call, 'attachments', { ...query, document })
  const rows = await attachmentsOf(call.read, document, page)
  return { body: page.of(rows, toAttachment, (row) => row.id) }
})

export const create = operation({
  id: 'attachments.create',
  method: 'POST',
  path: '/v1/documents/{id}/attachments',
  family: 'documents',
  summary: 'Attach a file to a document',
  description:
    'Either side can attach files to a document that it can see, in any state; attachments of a draft become visible to the counterparty when it is issued. The history of the document records the file, so its `revision` and `updated_at` move. A retry with the same Idempotency-Key is replayed if the name, media type and bytes of the file are the same.',
  since: '1.15.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: FileUpload,
  takesFile: { maxBytes: limits.attachmentMaxBytes, isStored: true },
  checkBeforeFile: async (context, organization, { id = '' }) => {
    await visibleDocumentId({ context, organization, read: context.database.read }, id)
  },
  response: Attachment,
  status: 201,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params, body }) => {
  const { organization, credential, context, signature } = call
  const document = uuidOrNotFound('doc', params.id)
  const attached = {
    id: call.fileId!,
    organization: organization.id,
    actor: credential.actor,
    signature,
    document,
    file: body.file,
    isStored: !call.dryRun,
  }
  const { row, document: changed } = await attachFile(tx, attached, context)
  const attachment = toAttachment(row)
  return {
    body: attachment,
    location: `/v1/documents/${params.id}/attachments/${attachment.id}`,
    resourceId: attachment.id,
    ...changeOfDocument(changed, JSON.stringify(attachment)),
  }
})

export const get = operation({
  id: 'attachments.get',
  method: 'GET',
  path: '/v1/documents/{id}/attachments/{attachment_id}',
  family: 'documents',
  summary: 'Retrieve an attachment with its download link',
  description:
    'Anyone with the link can download the file without a key for five minutes. Retrieve the attachment again for a new link.',
  since: '1.3.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  response: AttachmentLink,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const document = await visibleDocumentId(call, params.id)
  const id = decodeId('att', params.attachment_id)
  const row = id === undefined ? undefined : await attachmentById(call.read, document, id)
  if (id === undefined || row === undefined) throw notFound('attachment', params.attachment_id)
  const { config, keyring } = call.context
  const expiresAtMs = Date.parse(await databaseNow(call.read)) + limits.downloadLinkLifetimeMs
  const link = { attachment: id, organization: call.organization.id, expiresAtMs }
  return {
    body: {
      ...toAttachment(row),
      download_url: `${config.baseUrl}/files/${signDownloadLink(keyring.fileLinks.newest, link)}`,
      expires_at: new Date(expiresAtMs).toISOString(),
    },
  }
})
