/**
 * Storage for the bytes of attachments. The attachment's id names the file, and a stored file never
 * changes.
 */
import type { Readable } from 'node:stream'

/** A completely received upload on the local disk. */
export interface ReceivedFile {
  id: string
  path: string
  size: number
  /** Lower-case hex. */
  sha256: string
}

export interface FileStore {
  /** Stores the file durably. The received file may have been moved away afterwards. */
  put(file: ReceivedFile): Promise<void>
  /** Undefined when the file does not exist. */
  read(id: string): Promise<Readable | undefined>
  /** Idempotent. */
  remove(id: string): Promise<void>
}

/** The file store failed; the same request may succeed later. */
export class FilesUnavailable extends Error {
  override name = 'FilesUnavailable'
}
