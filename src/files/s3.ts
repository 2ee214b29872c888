/**
 * Files in a bucket of any store that speaks S3: three signed requests, addressed by path. The
 * store's address comes from the operator, not from a tenant, so it may well be a private one.
 */
import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import type { S3Config } from '../config.ts'
import { limits } from '../contract/limits.ts'
import { type FileStore, FilesUnavailable } from './file-store.ts'

/** SHA-256 of no bytes. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface S3Request {
  method: 'PUT' | 'GET' | 'DELETE'
  id: string
  body?: Blob
  sha256?: string
}

export const s3FileStore = (config: S3Config): FileStore => {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = config
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const send = async ({ method, id, body, sha256 = emptySha256 }: S3Request): Promise<Response> => {
    try {
      return await client.fetch(`${endpoint}/${bucket}/attachments/${id}`, {
        method,
        ...(body === undefined ? {} : { body }),
        // The store compares it with what arrives: a file is kept whole and right, or not at all.
        headers: { 'x-amz-content-sha256': sha256 },
        redirect: 'error',
        signal: AbortSignal.timeout(limits.fileStoreTimeoutMs),
      })
    } catch (error) {
      throw new FilesUnavailable('the file store did not answer', { cause: error })
    }
  }
  const request = async (sending: S3Request, accepted: readonly number[]): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(sending).catch((error: unknown) => {
        if (attempt === limits.fileStoreAttempts) throw error
        return undefined
      })
      if (answer === undefined) continue
      if (accepted.includes(answer.status)) return answer
      await answer.body?.cancel()
      if (answer.status < 500 || attempt === limits.fileStoreAttempts) {
        throw new FilesUnavailable(`the file store answered ${answer.status} to ${sending.method}`)
      }
    }
  }
  return {
    put: async ({ id, path, sha256 }) => {
      const answer = await request(
        { method: 'PUT', id, body: await openAsBlob(path), sha256 },
        [200],
      )
      await answer.body?.cancel()
      await rm(path, { force: true })
    },
    read: async (id) => {
      const answer = await request({ method: 'GET', id }, [200, 404])
      if (answer.status === 200 && answer.body !== null) {
        return Readable.fromWeb(answer.body as ReadableStream)
      }
      await answer.body?.cancel()
      return undefined
    },
    remove: async (id) => {
      const answer = await request({ method: 'DELETE', id }, [200, 204, 404])
      await answer.body?.cancel()
    },
  }
}
