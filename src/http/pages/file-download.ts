/**
 * GET /files/<token>: the bytes of an attachment for the holder of the link (contract 4). Every
 * link that does not work gets the same response, whatever the reason. The file is sent as a
 * download that may run nothing in a browser: it comes from a third party and is served from our
 * own origin.
 */
import { create as contentDisposition } from 'content-disposition'
import type { Context } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { compareFile, piecesOfFile } from '../../operations/documents/attachment-files.ts'
import { verifyDownloadLink } from '../../core/attachments/download-links.ts'
import { type AttachmentView, attachmentVisibleTo } from '../../store/documents/attachments.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { type Exchange, requesterOf } from '../exchange.ts'
import { sendPieces } from '../streaming/streamed-response.ts'
import { type Page, publicPage } from './page.ts'

export const filePage: Page = {
  ...publicPage('/files/{token}', async (exchange, { token = '' }) => {
    const { context, fileDownloads } = exchange.pipeline
    const linked = await linkedAttachment(context, token)
    if (linked === undefined) throw fileNotFound(token)
    const requester = requesterOf(exchange, linked.organization)
    await fileDownloads.run(requester, () => sendFile(exchange, linked))
  }),
  pathPrefix: '/files/',
}

interface LinkedAttachment {
  attachment: AttachmentView
  /** Whose link it is, so whose turn its downloads take. */
  organization: string
}

const linkedAttachment = async (
  { keyring, database }: Context,
  token: string,
): Promise<LinkedAttachment | undefined> => {
  const link = keyring.fileLinks.first((key) => verifyDownloadLink(key, token))
  if (link === undefined) return undefined
  const now = Date.parse(await databaseNow(database.read))
  if (now >= link.expiresAtMs) return undefined
  const { organization } = link
  const attachment = await attachmentVisibleTo(database.read, organization, link.attachment)
  return attachment && { attachment, organization }
}

const sendFile = async (
  exchange: Exchange,
  { attachment, organization }: LinkedAttachment,
): Promise<void> => {
  const { context, fileChecks } = exchange.pipeline
  const requester = requesterOf(exchange, organization)
  const hangUp = requester.signal!
  await fileChecks.run(requester, () => compareFile(context, attachment, hangUp))
  const headers = {
    'Content-Type': attachment.content_type,
    'Content-Length': String(attachment.size),
    'Content-Disposition': contentDisposition(attachment.filename),
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Referrer-Policy': 'no-referrer',
    'Repr-Digest': `sha-256=:${attachment.sha256.toString('base64')}:`,
  }
  await sendPieces(exchange, { stream: piecesOfFile(context, attachment), headers }, hangUp)
}

const fileNotFound = (token: string) =>
  refuse(
    'not_found',
    'This link is wrong or has expired. Read the attachment again for a fresh one.',
    { resource: 'file', id: token },
  )
