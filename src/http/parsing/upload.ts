/**
 * Receives the file of a request into a temporary file and stores it *before* the transaction that
 * creates its record, since no third party is called inside a transaction. A pending row is written
 * first and deleted by that transaction, so the purge finds the file if a crash comes between.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import type { WriteOutcome } from '../../engine/write-request.ts'
import { newId } from '../../database/new-ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { insertPendingFile, deletePendingFile } from '../../store/documents/pending-files.ts'
import type { RequestSignature } from '../../core/provenance/signed-slots.ts'
import type { AuthenticatedCaller } from '../admission/authenticator.ts'
import { signatureOf } from '../admission/party-signature.ts'
import { type Exchange, requesterOf } from '../exchange.ts'
import { askForBody } from './body.ts'
import type { FormShape } from './form-shape.ts'
import { type ParsedForm, parseForm } from './multipart-form.ts'

export interface Upload extends ParsedForm {
  id: string
  /** The temporary file, which is removed before the response is sent. */
  path: string
  /** The signature of the party, if its key signs. */
  signature: RequestSignature | null
}

const uploadsFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'uploads')

/** Removes files left by a crash, except new ones: another process may be receiving them. */
export const removeStaleUploads = async (config: Pick<Config, 'dataDir'>): Promise<void> => {
  const folder = uploadsFolder(config)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const file = await stat(join(folder, name)).catch(() => undefined)
    const isOld = file !== undefined && file.mtimeMs < Date.now() - limits.pendingFileMaxAgeMs
    if (isOld) await rm(join(folder, name), { force: true })
  }
}

/**
 * Receives the file when it is the organization's turn; until then none of it is read. The caller
 * must remove the file at `path`, whatever the outcome of the request.
 */
export const receiveUpload = (
  exchange: Exchange,
  { organization, credential: { signingKey } }: AuthenticatedCaller,
  shape: FormShape,
): Promise<Upload> => {
  const { request, pipeline } = exchange
  return pipeline.uploads.run(requesterOf(exchange, organization.id), async () => {
    const folder = uploadsFolder(pipeline.context.config)
    const id = newId()
    const path = join(folder, id)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      askForBody(exchange)
      const digest = signingKey === null ? undefined : createHash('sha256')
      const form = await parseForm(request, path, { ...shape, formHash: digest })
      const received = { length: form.length, sha256: () => digest!.digest(), text: null }
      return { id, path, ...form, signature: signatureOf(exchange, signingKey, received) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  })
}

/** Does nothing if the file was moved into the store. */
export const removeTemporaryFile = ({ path }: Upload): Promise<void> => rm(path, { force: true })

/**
 * Stores the file, then performs the write that attaches it to the document. A refused write
 * removes the file again; if the outcome is unknown, the pending row decides later.
 */
export const withStoredFile = async (
  context: Context,
  { upload: { id, path, file }, document }: { upload: Upload; document: string },
  write: () => Promise<WriteOutcome>,
): Promise<WriteOutcome> => {
  if (file === undefined) return write()
  await context.database.transaction(async (tx) => {
    const row = { id, created_at: await databaseNow(tx), document_id: document }
    await insertPendingFile(tx, row)
  })
  await context.fileStore.put({ id, path, size: file.size, sha256: file.sha256 })
  const outcome = await write()
  const isRefused = outcome.kind === 'refused' && outcome.refusal.code !== 'service_unavailable'
  if (isRefused || outcome.kind === 'replayed') await removeStoredFile(context, id)
  return outcome
}

const removeStoredFile = async (
  { database, fileStore, log }: Context,
  id: string,
): Promise<void> => {
  try {
    await fileStore.remove(id)
    await deletePendingFile(database.read, id)
  } catch (error) {
    // The purge finds the file by its pending row.
    log.error({ error }, 'file_not_removed')
  }
}
