/**
 * The bytes of attachments: on this machine's disk, or in a store that speaks S3. Files are named
 * by the attachment's id and never change. What is not there is the caller's business.
 */
import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { diskFileStore } from './disk.ts'
import { s3FileStore } from './s3.ts'

/** A file that was received whole, on this machine's disk. */
export interface ReceivedFile {
  id: string
  path: string
  size: number
  /** In hex. */
  sha256: string
}

export interface FileStore {
  /** Keeps the file; when this returns, a crash does not lose it. The received one may be gone. */
  put(file: ReceivedFile): Promise<void>
  /** Undefined: there is no such file. */
  read(id: string): Promise<Readable | undefined>
  /** Removing again, or what is not there, is safe. */
  remove(id: string): Promise<void>
}

export const openFileStore = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): FileStore =>
  s3 === undefined ? diskFileStore(dataDir) : s3FileStore(s3)
