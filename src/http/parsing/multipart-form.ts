/**
 * Receives a form with one file (contract 4) and reports its problems. The file is written and
 * hashed chunk by chunk, never held in memory.
 */
import { type Hash, createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { UploadedFile } from '../../contract/shapes/attachments.ts'
import { filenameProblem } from '../../core/attachments/filenames.ts'
import { mediaTypeOf } from '../../core/attachments/media-types.ts'
import { FilesUnavailable } from '../../files/file-store.ts'
import { bodyIncomplete, isEncoded, payloadTooLarge } from './body.ts'
import { formDelimiters } from './form-delimiters.ts'
import { type FormShape, fieldProblems } from './form-shape.ts'

export interface ParsedForm {
  /** Undefined when there are problems. */
  file: UploadedFile | undefined
  /** Its other parts. */
  fields: Readonly<Record<string, string>>
  problems: readonly Problem[]
  /** The length of the whole form, in bytes. */
  length: number
}

const formMaxBytes = (maxBytes: number): number => maxBytes + limits.formOverheadMaxBytes

/** Runs where other bodies are read, so that the order of refusals is the same. */
export const checkFormLength = (
  { headers }: IncomingMessage,
  { maxBytes }: Pick<FormShape, 'maxBytes'>,
): void => {
  if (Number(headers['content-length'] ?? 0) > formMaxBytes(maxBytes))
    throw payloadTooLarge(maxBytes)
}

const formMediaType = /^multipart\/form-data\s*;.*\bboundary=/i

export const checkFormMediaType = ({ headers }: IncomingMessage): void => {
  const { 'content-type': type, 'content-encoding': encoding } = headers
  const isPlain = !isEncoded(headers)
  if (isPlain && formMediaType.test(type ?? '')) return
  throw refuse(
    'unsupported_media_type',
    isPlain
      ? `Content-Type ${type ?? '(none)'} is not accepted: send multipart/form-data with the part \`file\`.`
      : `Content-Encoding ${encoding} is not accepted: send the form as it is.`,
  )
}

/**
 * Writes the form's file to `path`; returns it, or the problems of the form. `formHash` gets every
 * byte of the form.
 */
export const parseForm = async (
  request: IncomingMessage,
  path: string,
  { maxBytes, fields: known, formHash }: FormShape & { formHash: Hash | undefined },
): Promise<ParsedForm> => {
  const fields: Record<string, string> = {}
  const problems: Problem[] = []
  const isKnown = (name: string): boolean => Object.hasOwn(known, name)
  let receiving: Promise<UploadedFile | undefined> | undefined
  const parser = parserOf(request, maxBytes)
  const stopped = new AbortController()
  let stopWatching = () => {}
  let length = 0
  let parts = 0
  const delimiters = formDelimiters(request.headers['content-type']!)
  const parsed = new Promise<void>((resolve, reject) => {
    parser.on('file', (name, stream, filename, ...encodingAndType) => {
      parts += 1
      if (name !== 'file' || receiving !== undefined) {
        problems.push(unexpectedPart(name, isKnown(name) ? 'file' : undefined))
        stream.resume()
        return
      }
      const part = {
        path,
        maxBytes,
        filename: unescaped(filename),
        declared: encodingAndType[1],
        stopped: stopped.signal,
      }
      receiving = receiveFile(stream, part, problems).catch((error: unknown) => {
        throw uploadError(error)
      })
      receiving.catch(reject)
    })
    parser.on('field', (name, value) => {
      parts += 1
      if (isKnown(name) && !Object.hasOwn(fields, name)) fields[name] = value
      else problems.push(unexpectedPart(name, isKnown(name) ? 'twice' : undefined))
    })
    parser.on('finish', resolve)
    parser.on('error', () => reject(malformedForm()))
    request.on('aborted', () => reject(bodyIncomplete()))
    limitBytes(request, formMaxBytes(maxBytes), () => reject(payloadTooLarge(maxBytes)))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      delimiters.add(chunk)
      formHash?.update(chunk)
    })
    stopWatching = refuseSlow(request, () => reject(tooSlow()))
  })
  request.pipe(parser)
  try {
    await parsed
    const file = await receiving
    if (problems.length === 0 && delimiters.exceed(parts)) throw malformedForm()
    if (receiving === undefined) problems.push(fileMissing)
    problems.push(...fieldProblems({ fields: known }, fields))
    return { file: problems.length === 0 ? file : undefined, fields, problems, length }
  } catch (error) {
    // The rest is not read, so the connection ends with the response.
    request.unpipe(parser)
    // The parser does not end the file's stream, so its reader would wait for more bytes.
    stopped.abort()
    await receiving?.catch(() => {})
    throw error
  } finally {
    stopWatching()
  }
}

/**
 * What a form escapes in a name: browsers, fetch and curl follow the same standard (WHATWG). A name
 * with a literal %22 arrives in the same bytes as one with a quotation mark (docs/decisions/0007).
 */
const unescaped = (name: string | undefined): string | undefined =>
  name?.replaceAll(/%(?:22|0A|0D)/g, decodeURIComponent)

/** A failure of the disk is ours; any other means that the form broke off. */
const uploadError = (error: unknown): Error => {
  if (error instanceof Refusal) return error
  const isOurs = (error as NodeJS.ErrnoException).syscall !== undefined
  return isOurs
    ? new FilesUnavailable('a file was not received', { cause: error })
    : malformedForm()
}

const parserOf = (request: IncomingMessage, maxBytes: number) => {
  try {
    return new Busboy({
      headers: request.headers as { 'content-type': string },
      preservePath: true,
      // The part's name makes it the file, whatever its other headers say.
      isPartAFile: (name, _type, filename) => name === 'file' || filename !== undefined,
      limits: {
        fileSize: maxBytes,
        files: 2,
        fields: 10,
        fieldSize: 1024,
        parts: 12,
        headerPairs: 20,
        headerSize: 8 * 1024,
      },
    })
  } catch {
    throw malformedForm()
  }
}

const limitBytes = (request: IncomingMessage, bytes: number, exceeded: () => void): void => {
  let total = 0
  request.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total > bytes) exceeded()
  })
}

/** Calls `refuse` when too little arrives for too long; others wait for the place. */
const refuseSlow = (request: IncomingMessage, refuse: () => void): (() => void) => {
  const { uploadStallMs, uploadMinBytesPerSecond } = limits
  let received = 0
  const count = (chunk: Buffer) => void (received += chunk.length)
  request.on('data', count)
  const timer = setInterval(() => {
    if (received < (uploadMinBytesPerSecond * uploadStallMs) / 1000) refuse()
    received = 0
  }, uploadStallMs)
  return () => {
    clearInterval(timer)
    request.off('data', count)
  }
}

interface FilePart {
  path: string
  maxBytes: number
  filename: string | undefined
  declared: string
  stopped: AbortSignal
}

/** Writes and flushes the file; undefined if its name or media type is refused. */
const receiveFile = async (
  stream: Readable,
  { path, maxBytes, filename, declared, stopped }: FilePart,
  problems: Problem[],
): Promise<UploadedFile | undefined> => {
  const wrongName = filenameProblem(filename)
  const contentType = mediaTypeOf(declared)
  if (wrongName !== undefined) problems.push(wrongName)
  else if (contentType === undefined) problems.push(invalidMediaType(declared))
  const hash = createHash('sha256')
  let size = 0
  const measuring = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  const exceeded = new Promise<never>((_, reject) => {
    stream.once('limit', () => {
      reject(payloadTooLarge(maxBytes))
      stream.destroy()
    })
  })
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await Promise.race([pipeline(stream, measuring, file, { signal: stopped }), exceeded])
  if (problems.length > 0 || contentType === undefined) return undefined
  return { filename: filename!, content_type: contentType, size, sha256: hash.digest('hex') }
}

const fileMissing: Problem = {
  param: '/file',
  code: 'required',
  message: 'The form has no file.',
  fix: 'send one part named file, with a filename: curl -F file=@order.pdf',
}

const knownPart = {
  file: { message: 'This part is a file, and is to be a text.', fix: 'send it without a filename' },
  twice: { message: 'The form has this part twice.', fix: 'send one' },
} as const

const unknownPart = { message: 'The form has no such part.', fix: 'leave it out' } as const

const unexpectedPart = (name: string, fault: keyof typeof knownPart | undefined): Problem =>
  name === 'file'
    ? {
        param: '/file',
        code: 'invalid_value',
        message: 'The form has more than one file, or one without a filename.',
        fix: 'send one file a call',
      }
    : {
        param: `/${name.slice(0, 100)}`,
        code: 'unknown_field',
        ...(fault === undefined ? unknownPart : knownPart[fault]),
      }

const invalidMediaType = (declared: string): Problem => ({
  param: '/file',
  code: 'invalid_value',
  message: `${JSON.stringify(declared.slice(0, 60))} is not a media type.`,
  fix: 'send a Content-Type like application/pdf with the part',
})

const tooSlow = () =>
  refuse(
    'invalid_request',
    'The file arrives too slowly.',
    {
      errors: [
        {
          param: '/file',
          code: 'invalid_value',
          message: `Less than ${limits.uploadMinBytesPerSecond} bytes arrived per second.`,
          fix: 'send the file again over a faster connection',
        },
      ],
    },
    { headers: { Connection: 'close' } },
  )

const malformedForm = () =>
  refuse(
    'invalid_request',
    'The form is not well-formed multipart/form-data.',
    {
      errors: [
        {
          param: '',
          code: 'invalid_value',
          message: 'The form is broken: a boundary is missing or a part has no proper end.',
          fix: 'let an HTTP library build the form',
        },
      ],
    },
    { headers: { Connection: 'close' } },
  )
