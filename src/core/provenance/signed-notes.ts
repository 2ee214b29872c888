/**
 * C2SP signed notes: checkpoints of the logs and heads of documents. This file writes the notes and
 * the verifier keys; the verifier parses them.
 */
import { type KeyObject, createHmac, createPublicKey, hash, sign } from 'node:crypto'

export type LogId = 'live' | 'test'

export const logIds: readonly LogId[] = ['live', 'test']

/** An origin ends with the number of the log's epoch. */
export const epochOf = (origin: string): number => Number(/\/(\d+)$/.exec(origin)![1])

const ed25519 = Buffer.from([1])

export interface SigningKey {
  vkey: string
  privateKey: KeyObject
}

const rawPublicKey = (privateKey: KeyObject): Buffer =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url')

const keyIdOf = (name: string, typedKey: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typedKey]), 'buffer').subarray(0, 4)

/** C2SP signed-note: `<name>+<key id>+<base64 of type ‖ key>`; the name is the log's origin. */
export const vkeyOf = (origin: string, privateKey: KeyObject): string => {
  const typedKey = Buffer.concat([ed25519, rawPublicKey(privateKey)])
  return `${origin}+${keyIdOf(origin, typedKey).toString('hex')}+${typedKey.toString('base64')}`
}

export const checkpointBody = (origin: string, size: number, root: Buffer): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

/** The stored columns of a checkpoint. */
export interface CheckpointRow {
  note: string
  as_of: string
  /** Size of the previously signed checkpoint, -1 for the first; null where it was not recorded. */
  previous_size: bigint | null
}

/** Binds a checkpoint's time and predecessor to its note, which contains neither. */
export const checkpointMac = (
  { note, as_of: asOf, previous_size: previousSize }: CheckpointRow,
  key: Buffer,
): Buffer => {
  const head = previousSize === null ? 'svc-checkpoint/1' : `svc-checkpoint/2\n${previousSize}`
  return createHmac('sha256', key).update(`${head}\n${asOf}\n${note}`).digest()
}

export interface HeadNoteFields {
  origin: string
  stream: string
  seq: number
  hash: Buffer
  size: number
  asOf: string
  /** The size of the log that decides which keys sign. */
  keySize: number
}

/** States that at this size of the log, the stream ended with this event. */
export const headNoteBody = (fields: HeadNoteFields): string => {
  const { origin, stream, seq, hash, size, asOf, keySize } = fields
  const event = `${stream} ${seq} ${hash.toString('hex')}`
  return `svc-head/2 ${origin}\n${event}\n${size}\n${asOf}\n${keySize}\n`
}

/**
 * The body with a signature line per key, in the order of their ids, so that nobody can write the
 * same note in another way. Ed25519 signatures are deterministic.
 */
export const signNote = (body: string, keys: readonly SigningKey[]): string => {
  const named = keys.map(({ vkey, privateKey }) => {
    const [name = '', id = ''] = vkey.split('+')
    return { name, id, privateKey }
  })
  const lines = named
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ name, id, privateKey }) => {
      const signature = sign(null, Buffer.from(body), privateKey)
      const blob = Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')
      return `— ${name} ${blob}\n`
    })
  return `${body}\n${lines.join('')}`
}
