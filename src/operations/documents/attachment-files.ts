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

/** A file that is not the one that was attached is refused before any of it is sent. */
export const compareFile = (
  context: Context,
  attachment: AttachedFile,
  hangUp: AbortSignal,
): Promise<void> =>
  failClosed(context, async () => {
    await checkAttachment(context.database.read, context, attachment)
    const hash = createHash('sha256')
    for await (const chunk of await storedFile(context, attachment)) {
      hangUp.throwIfAborted()
      hash.update(chunk as Buffer)
    }
    if (!hash.digest().equals(attachment.sha256)) throw anotherFile(attachment)
  })

/**
 * The bytes of a file that was compared. Should it change meanwhile, the last ones are held back
 * until the hash is known, and the download breaks off early. The file is opened with the first
 * piece, and closed whatever becomes of the pieces.
 */
export async function* piecesOfFile(
  context: Context,
  attachment: AttachedFile,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held = Buffer.alloc(0)
  for await (const chunk of await storedFile(context, attachment)) {
    if (held.length > 0) yield held
    held = chunk as Buffer<ArrayBuffer>
    hash.update(held)
  }
  if (!hash.digest().equals(attachment.sha256))
    throw new Error('the stored file is not the one that was attached')
  yield held
}

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
