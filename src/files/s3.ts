/**
 * Stores files in a bucket of any S3-compatible store, addressed by path. The service loads this
 * module only when a store is configured. The operator, not a tenant, sets the store's address, so
 * it may be a private one.
 */
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { S3Config } from '../config.ts'
import { limits } from '../contract/limits.ts'
import { turns } from '../contract/work-classes.ts'
import { type FileStore, FilesUnavailable, type ReceivedFile } from './file-store.ts'

/**
 * A download holds its connection as long as its client reads. With one for each turn, and some for
 * the tasks, slow clients keep no upload waiting.
 */
const connections = {
  maxSockets: turns.fileDownloads.running + turns.fileChecks.running + turns.uploads.running + 8,
}

export const s3FileStore = ({ endpoint, bucket, region, credentials }: S3Config): FileStore => {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    // Without keys the SDK finds a role: environment, profile, web identity, container, machine.
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: limits.fileStoreAttempts,
    // The signed hash protects the body: not every store accepts checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: limits.fileStoreTimeoutMs,
      requestTimeout: limits.fileStoreTimeoutMs,
      socketTimeout: limits.fileStoreTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: connections,
      httpsAgent: connections,
    },
  })
  const objectOf = (id: string) => ({ Bucket: bucket, Key: `attachments/${id}` })
  return {
    put: async (file) => {
      const object = { ...objectOf(file.id), ContentLength: file.size }
      await client.send(withFile(new PutObjectCommand(object), file)).catch(unavailable)
      await rm(file.path, { force: true })
    },
    read: async (id) => {
      const found = await client
        .send(new GetObjectCommand(objectOf(id)))
        .catch(undefinedWhenMissing)
      return found && wholeOrUnavailable(found.Body as Readable)
    },
    remove: async (id) => {
      await client.send(new DeleteObjectCommand(objectOf(id))).catch(undefinedWhenMissing)
    },
  }
}

/**
 * What breaks off on the way says nothing of the file: the store may be better soon. A stream that
 * is given up, even unread, gives up its connection.
 */
const wholeOrUnavailable = (body: Readable): Readable => {
  const pieces = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* body as AsyncIterable<Buffer>
    } catch (error) {
      unavailable(error)
    }
  }
  return Readable.from(pieces(), { objectMode: false }).once('close', () => body.destroy())
}

/** The part of a request that our middleware changes. */
interface OutgoingRequest {
  headers: Record<string, string>
  body?: Readable
}

/**
 * Opens the file anew for each attempt, because the SDK does not retry a body that is a stream. The
 * store compares the signed hash with the bytes it receives, so it never keeps a damaged file.
 */
const withFile = (command: PutObjectCommand, { path, sha256 }: ReceivedFile): PutObjectCommand => {
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as OutgoingRequest
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build' },
  )
  command.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as OutgoingRequest
      request.body = createReadStream(path)
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  return command
}

/** Without its bucket, the store says nothing of the file. */
const undefinedWhenMissing = (error: unknown): undefined => {
  const isMissing = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404
  if (isMissing && error.name !== 'NoSuchBucket') return
  return unavailable(error)
}

const unavailable = (error: unknown): never => {
  throw new FilesUnavailable('the file store refused, or did not answer', { cause: error })
}
