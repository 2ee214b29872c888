/** The stored bytes of an attachment, compared with what the document's history records. */
import { createHash, hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context } from '../../context.ts'
import {
  type AttachedFile,
  anotherFile,
  checkAttachment,
  missingFile,
} from '../../changes/provenance/attachment-event.ts'
import { failClosed } from '../../changes/provenance/verified-read.ts'

/**
 * Reads the file once to compare it, and returns it to be read again: a file that is not the one
 * that was attached is refused before any of it is sent.
 */
export const intactFile = (context: Context, attachment: AttachedFile): Promise<Readable> =>
  failClosed(context, async () => {
    await checkAttachment(context.database.read, context, attachment)
    const hash = createHash('sha256')
    for await (const chunk of await storedFile(context, attachment)) hash.update(chunk as Buffer)
    if (!hash.digest().equals(attachment.sha256)) throw anotherFile(attachment)
    return storedFile(context, attachment)
  })

/** All of a small file, which is compared before it is returned. */
export const intactBytes = (context: Context, attachment: AttachedFile): Promise<Buffer> =>
  failClosed(context, async () => {
    await checkAttachment(context.database.read, context, attachment)
    const bytes = await buffer(await storedFile(context, attachment))
    if (!hash('sha256', bytes, 'buffer').equals(attachment.sha256)) throw anotherFile(attachment)
    return bytes
  })

const storedFile = async ({ fileStore }: Context, attachment: AttachedFile): Promise<Readable> => {
  const file = await fileStore.read(attachment.id)
  if (file === undefined) throw missingFile(attachment)
  return file
}
