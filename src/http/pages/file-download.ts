/**
 * GET /files/<token>: the bytes of an attachment for the holder of the link (contract 4). Every
 * link that does not work gets the same response, whatever the reason. The file is sent as a
 * download that may run nothing in a browser: it comes from a third party and is served from our
 * own origin.
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create as contentDisposition } from 'content-disposition'
import type { Context } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { intactFile } from '../../operations/documents/attachment-files.ts'
import { verifyDownloadLink } from '../../core/attachments/download-links.ts'
import { type AttachmentView, attachmentVisibleTo } from '../../store/documents/attachments.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { sendHead } from '../respond.ts'
import { type Page, publicPage } from './page.ts'

export const filePage: Page = {
  ...publicPage('/files/{token}', async (exchange, { token = '' }) => {
    const { request, response, pipeline } = exchange
    const { context } = pipeline
    const attachment = await attachmentFor(context, token)
    if (attachment === undefined) throw fileNotFound(token)
    const file = await intactFile(context, attachment)
    sendHead(exchange, 200, {
      'Content-Type': attachment.content_type,
      'Content-Length': String(attachment.size),
      'Content-Disposition': contentDisposition(attachment.filename),
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Referrer-Policy': 'no-referrer',
      'Repr-Digest': `sha-256=:${attachment.sha256.toString('base64')}:`,
    })
    if (request.method === 'HEAD') {
      file.destroy()
      response.end()
    } else await sendVerifiedFile(file, attachment, response)
  }),
  pathPrefix: '/files/',
}

const attachmentFor = async (
  { keyring, database }: Context,
  token: string,
): Promise<AttachmentView | undefined> => {
  const link = keyring.fileLinks.first((key) => verifyDownloadLink(key, token))
  if (link === undefined) return undefined
  const now = Date.parse(await databaseNow(database.read))
  if (now >= link.expiresAtMs) return undefined
  return attachmentVisibleTo(database.read, link.organization, link.attachment)
}

const fileNotFound = (token: string) =>
  refuse(
    'not_found',
    'This link is wrong or has expired. Read the attachment again for a fresh one.',
    { resource: 'file', id: token },
  )

/**
 * The file was read and compared before. Should it change meanwhile, the last chunk is held back
 * until the hash is known, and the download breaks off early.
 */
const sendVerifiedFile = async (
  file: Readable,
  { sha256 }: AttachmentView,
  response: ServerResponse,
): Promise<void> => {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  const verifying = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      const before = held
      held = chunk
      done(null, before)
    },
    flush: (done) => {
      if (hash.digest().equals(sha256)) done(null, held)
      else done(new Error('the stored file is not the one that was attached'))
    },
  })
  try {
    await pipeline(file, verifying, response)
  } catch (error) {
    // A client that hangs up during a download is no failure.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
