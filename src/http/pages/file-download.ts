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
import { openFileLink } from '../../core/attachments/download-links.ts'
import { contentDisposition } from '../../core/attachments/filenames.ts'
import { type SeenAttachment, attachmentSeenBy } from '../../store/documents/attachments.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import { type Page, answerPage } from './docs.ts'
import { sendHead } from '../respond.ts'

export const filePage: Page = {
  path: '/files/{token}',
  below: '/files/',
  serve: (pages, request, response, { token = '' }) =>
    answerPage(pages, { request, response, path: '/files/{token}' }, async (sending) => {
      const { context } = pages
      const attachment = await attachmentFor(context, token)
      const file = attachment && (await context.files.read(attachment.id))
      if (attachment === undefined) throw noSuchFile(token)
      if (file === undefined) throw new Error(`the file of attachment ${attachment.id} is gone`)
      sendHead(response, sending, 200, {
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
      } else await sendFile(file, attachment, response)
    }),
}

const attachmentFor = async (
  { keyring, database }: Context,
  token: string,
): Promise<SeenAttachment | undefined> => {
  const link = openFileLink(keyring.files, token)
  if (link === undefined) return undefined
  const now = Date.parse(await databaseNow(database.read))
  if (now >= link.expiresAtMs) return undefined
  return attachmentSeenBy(database.read, link.organization, link.attachment)
}

const noSuchFile = (token: string) =>
  refuse(
    'not_found',
    'This link is wrong or has expired. Read the attachment again for a fresh one.',
    { resource: 'file', id: token },
  )

/** A file that is not what was attached breaks off early: nobody takes it for the whole. */
const sendFile = async (
  file: Readable,
  { sha256 }: SeenAttachment,
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
