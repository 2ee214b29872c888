/**
 * What the service signs: C2SP checkpoints of its logs, and heads of documents, as C2SP signed
 * notes. The texts and the keys' spelling live here; parsing is the verifier's.
 */
import { type KeyObject, createPublicKey, hash, sign } from 'node:crypto'

export type LogId = 'live' | 'test'

export const logIds: readonly LogId[] = ['live', 'test']

/** Origins end with the number of the log's epoch. */
export const epochOf = (origin: string): number => Number(/\/(\d+)$/.exec(origin)![1])

const ed25519 = Buffer.from([1])

export interface SigningKey {
  vkey: string
  privateKey: KeyObject
}

/** The 32 bytes of a public key. */
const rawPublicKey = (privateKey: KeyObject): Buffer =>
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url')

const keyIdOf = (name: string, typed: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').subarray(0, 4)

/** C2SP signed-note: `<name>+<key id>+<base64 of type ‖ key>`; the name is the log's origin. */
export const vkeyOf = (origin: string, privateKey: KeyObject): string => {
  const typed = Buffer.concat([ed25519, rawPublicKey(privateKey)])
  return `${origin}+${keyIdOf(origin, typed).toString('hex')}+${typed.toString('base64')}`
}

export const checkpointBody = (origin: string, size: number, root: Buffer): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

export interface HeadNoteFields {
  origin: string
  stream: string
  seq: number
  hash: Buffer
  size: number
  asOf: string
}

/** At this size of the log, this stream ended with this event. */
export const headNoteBody = ({ origin, stream, seq, hash, size, asOf }: HeadNoteFields): string =>
  `svc-head/1 ${origin}\n${stream} ${seq} ${hash.toString('hex')}\n${size}\n${asOf}\n`

/** The body with a signature line of every key. Ed25519 signs the same bytes alike every time. */
export const signNote = (body: string, keys: readonly SigningKey[]): string => {
  const lines = keys.map(({ vkey, privateKey }) => {
    const [name = '', id = ''] = vkey.split('+')
    const signature = sign(null, Buffer.from(body), privateKey)
    const blob = Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')
    return `— ${name} ${blob}\n`
  })
  return `${body}\n${lines.join('')}`
}
