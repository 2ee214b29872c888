/**
 * One Idempotency-Key, one effect (specification 4.2, contract 5). The key's lock is tried but
 * never waited for, so a concurrent retry is refused at once. A fingerprint detects whether a
 * reused key repeats its request. Responses that show a secret are encrypted under the caller's own
 * key: a dump of the database reveals nothing, yet the replay is exact.
 */
import { hash, hkdfSync, randomBytes } from 'node:crypto'
import { inProgress, keyReused } from '../contract/errors.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import type { ServerKeys } from '../core/server-keys.ts'
import { storedMac, storedMacBytes } from '../core/hmac.ts'
import { decryptBytes, encryptBytes, nonceBytes } from '../core/secret-encryption.ts'
import { compactText, knownText } from '../core/compact-text.ts'
import { encodeId } from '../core/ids.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import type { NewStoredResponse, StoredResponse } from '../store/idempotency.ts'
import type { OperationResponse, Idempotency, WriteRequest, WriteOutcome } from './write-request.ts'

export interface IdempotencyOptions {
  /** How long a response is kept for replay. */
  idempotencyMs: number
  /** MAC Idempotency-Keys and, together with the caller's key, encrypt responses with secrets. */
  serverKeys: ServerKeys
}

/** An empty body counts as {}. */
export const idempotencyOf = (
  organization: string,
  key: string,
  request: { method: string; path: string; body: unknown },
): Idempotency => ({
  key,
  lock: lockOf(organization, key),
  fingerprint: fingerprintOf(request.method, request.path, request.body),
})

/**
 * For a request that its schema refuses. No such request ever succeeded, so it repeats none, and
 * its fingerprint need not be computed over a body that may be large.
 */
export const unrepeatable = (organization: string, key: string): Idempotency => ({
  key,
  lock: lockOf(organization, key),
  fingerprint: Buffer.alloc(0),
})

/** The MACs under which a response may be stored, that of the newest server key first. */
export const keyMacs = (keys: ServerKeys, organization: string, key: string): Buffer[] =>
  keys.all().map(([, serverKey]) => keyMac(serverKey, organization, key))

const keyMac = (serverKey: Buffer, organization: string, key: string): Buffer =>
  storedMac(serverKey, [`idempotency\n${organization}\n${key}`])

const fingerprintOf = (method: string, path: string, body: unknown): Buffer =>
  hash('sha256', `${method} ${path}\n${canonicalJson(body ?? {})}`, 'buffer').subarray(
    0,
    storedMacBytes,
  )

/**
 * The advisory lock of the key in PostgreSQL. It depends on no server key, so that processes which
 * learn of a rekey one after the other take the same lock.
 */
export const lockOf = (organization: string, key: string): bigint =>
  hash('sha256', `idempotency\n${organization}\n${key}`, 'buffer').readBigInt64BE(0)

export const requestInProgress = (): WriteOutcome => ({
  kind: 'refused',
  refusal: inProgress(
    'A request with this Idempotency-Key is still running. Send it again in a second to read its response.',
  ),
})

/** `failed`: the stored response is not as the service has sealed it. */
export type ExistingOutcome = WriteOutcome | { kind: 'failed'; error: BrokenSeal }

interface FoundKeys {
  /** Whether the key of each request could be locked. */
  locked: readonly boolean[]
  stored: readonly StoredResponse[]
  now: string
}

/** What is known of requests before any decision. */
export interface ExistingOutcomes {
  /** Those that need no decision: in progress elsewhere, replayed, or key reused. */
  outcomes: Map<WriteRequest, ExistingOutcome>
  /** The MACs of expired responses, whose keys may be used again. */
  expired: Buffer[]
  /** The MACs of keys that are kept for these requests until they succeed. */
  kept: Map<WriteRequest, Buffer>
}

export const existingOutcomes = (
  keyed: readonly WriteRequest[],
  { locked, stored, now }: FoundKeys,
  { serverKeys, idempotencyMs }: IdempotencyOptions,
): ExistingOutcomes => {
  const outcomes = new Map<WriteRequest, ExistingOutcome>()
  const kept = new Map<WriteRequest, Buffer>()
  const expired: Buffer[] = []
  const byKey = new Map(stored.map((response) => [response.key_mac.toString('latin1'), response]))
  const storedFor = ({ organization, idempotency }: WriteRequest): StoredResponse | undefined => {
    if (stored.length === 0) return undefined
    const macs = keyMacs(serverKeys, organization, idempotency!.key)
    return macs
      .map((mac) => byKey.get(mac.toString('latin1')))
      .find((response) => response !== undefined)
  }
  const outcomeOf = (request: WriteRequest): ExistingOutcome | undefined => {
    const response = storedFor(request)
    if (response === undefined) return undefined
    const obstacle = obstacleOf(response)
    if (obstacle !== undefined) return { kind: 'failed', error: obstacle }
    if (Date.parse(response.created_at) + idempotencyMs <= Date.parse(now)) {
      if (!request.dryRun) expired.push(response.key_mac)
      return undefined
    }
    if (!response.fingerprint.equals(request.idempotency!.fingerprint)) {
      return keyReusedRefusal(response)
    }
    if (isKeptKey(response)) {
      kept.set(request, response.key_mac)
      return undefined
    }
    // A secret is shown once, so a dry run shows none.
    if (request.dryRun && response.is_encrypted) return undefined
    return replayedOutcome(response, request, serverKeys)
  }
  keyed.forEach((request, i) => {
    const outcome = locked[i] ? outcomeOf(request) : requestInProgress()
    if (outcome !== undefined) outcomes.set(request, outcome)
  })
  return { outcomes, expired, kept }
}

const keptKeyStatus = 409

/** Whether the row keeps the key for a request that was refused, and will be sent again. */
export const isKeptKey = ({ status }: Pick<StoredResponse, 'status'>): boolean =>
  status === keptKeyStatus

/** Keeps the key for this request: until it succeeds, any other with the key is a conflict. */
export const keptKeyOf = (
  request: WriteRequest,
  idempotency: Idempotency,
  resourceId: string,
  storing: StoringOptions,
): NewStoredResponse => ({
  ...storedResponseOf(request, idempotency, { status: 200, body: '', resourceId }, storing),
  status: keptKeyStatus,
})

const unwrittenStatus = 500

/**
 * Takes the place of the response to a write of which some rows are missing: nobody can say what
 * took effect, so the key neither replays a success nor lets the write be made a second time.
 */
export const unwrittenResponseOf = (response: NewStoredResponse): NewStoredResponse => ({
  ...response,
  status: unwrittenStatus,
  body: compactText(''),
  text: '',
  is_encrypted: false,
  document_id: null,
  revision: null,
  receipt: null,
  resource_id: null,
  etag: null,
  location: null,
})

/** What keeps the stored response from being believed, if anything does. */
export const obstacleOf = ({
  key_mac,
  isAsSealed,
  status,
}: StoredResponse): BrokenSeal | undefined => {
  const id = key_mac.toString('hex')
  if (!isAsSealed) return new BrokenSeal('idempotency', id)
  if (status !== unwrittenStatus) return undefined
  return new BrokenSeal('idempotency', id, 'rows of the write are missing')
}

const keyReusedRefusal = (stored: StoredResponse): WriteOutcome => ({
  kind: 'refused',
  refusal: keyReused(encodeId('req', stored.request_id), stored.created_at),
})

const replayedOutcome = (
  stored: StoredResponse,
  request: WriteRequest,
  serverKeys: ServerKeys,
): WriteOutcome => ({
  kind: 'replayed',
  originalRequestId: stored.request_id,
  documentId: stored.document_id,
  response: {
    status: stored.status,
    body: stored.is_encrypted ? decryptedBody(stored, request, serverKeys) : stored.text,
    ...(stored.etag === null ? {} : { etag: stored.etag }),
    ...(stored.location === null ? {} : { location: stored.location }),
    ...(stored.receipt === null ? {} : { receipt: stored.receipt }),
  },
})

const decryptedBody = (
  { body, key_mac }: StoredResponse,
  { organization, idempotency }: WriteRequest,
  serverKeys: ServerKeys,
): string => {
  const { key } = idempotency!
  const serverKey = serverKeys.first((one) =>
    keyMac(one, organization, key).equals(key_mac) ? one : undefined,
  )
  return decryptBytes(encryptionKey(serverKey!, key, key_mac), body).toString()
}

interface StoringOptions {
  now: string
  serverKeys: ServerKeys
  /** For a response that shows a secret. */
  isEncrypted?: boolean
}

/** Throws MissingServerKey if this process lacks the newest server key. */
export const storedResponseOf = (
  request: WriteRequest,
  { key, fingerprint }: Idempotency,
  response: OperationResponse,
  { now, serverKeys, isEncrypted = false }: StoringOptions,
): NewStoredResponse => {
  const { document } = response
  const mac = keyMac(serverKeys.newest, request.organization, key)
  const body = isEncrypted
    ? encryptBytes(
        encryptionKey(serverKeys.newest, key, mac),
        Buffer.from(response.body),
        randomBytes(nonceBytes),
      )
    : bodyOf(response)
  return {
    organization_id: request.organization,
    key_mac: mac,
    fingerprint,
    status: response.status,
    body,
    text: isEncrypted ? body.toString('base64') : response.body,
    is_encrypted: isEncrypted,
    document_id: document?.id ?? null,
    revision: document?.revision ?? null,
    receipt: response.receipt ?? null,
    resource_id: resourceOf(response),
    etag: response.etag ?? null,
    location: response.location ?? null,
    request_id: request.requestId,
    created_at: now,
  }
}

/** A document that is the resource itself has its id in a column of its own. */
const resourceOf = ({ document, resourceId }: OperationResponse): string | null => {
  if (resourceId === undefined) return null
  return document !== undefined && resourceId === encodeId('doc', document.id) ? null : resourceId
}

const bodyOf = ({ body, document }: OperationResponse): Buffer =>
  document === undefined
    ? compactText(body)
    : compactText(document.marked, { known: knownText(document.known) })

const encryptionKey = (serverKey: Buffer, key: string, mac: Buffer): Buffer =>
  Buffer.from(
    hkdfSync('sha256', Buffer.concat([serverKey, Buffer.from(key)]), mac, 'sealed reply', 32),
  )
