/**
 * GET /files/<token>: the bytes of an attachment for whoever has the link (contract 4). Every link
 * that does not work, for whatever reason, is answered alike. The file leaves as a download and may
 * do nothing in a browser: it comes from somebody else and is served from our own address.
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../../context.ts'
import { refuse } from '../../contract/errors.ts'
import { verifyDownloadLink } from '../../core/attachments/download-links.ts'
import { contentDisposition } from '../../core/attachments/filenames.ts'
import { type AttachmentView, attachmentVisibleTo } from '../../store/documents/attachments.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import { type Page, servePage } from './docs.ts'
import { sendHead } from '../respond.ts'

export const filePage: Page = {
  path: '/files/{token}',
  pathPrefix: '/files/',
  serve: (pages, request, response, { token = '' }) =>
    servePage(pages, { request, response, path: '/files/{token}' }, async (responseContext) => {
      const { context } = pages
      const attachment = await attachmentFor(context, token)
      const file = attachment && (await context.fileStore.read(attachment.id))
      if (attachment === undefined) throw fileNotFound(token)
      if (file === undefined) throw new Error(`the file of attachment ${attachment.id} is gone`)
      sendHead(response, responseContext, 200, {
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
}

const attachmentFor = async (
  { keyring, database }: Context,
  token: string,
): Promise<AttachmentView | undefined> => {
  const link = verifyDownloadLink(keyring.fileLinks, token)
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

/** A file that is not what was attached breaks off early: nobody takes it for the whole. */
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
    // Whoever hangs up during a download has done nothing wrong, and neither have we.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
