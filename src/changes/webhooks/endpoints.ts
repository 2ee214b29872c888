/**
 * Registers, edits and removes webhook endpoints and rotates their secrets (specification 2.4 and
 * 6.3, contract 7).
 */
import { randomBytes } from 'node:crypto'
import { type Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { HeldQuotas } from '../../contract/quotas.ts'
import type { WebhookEdit } from '../../contract/shapes/webhooks.ts'
import { encodeId } from '../../core/ids.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import { decryptSecret, encryptSecret, nonceBytes } from '../../core/secret-encryption.ts'
import { type SigningSecret, formatSecret, signingSecret } from '../../core/webhooks/signature.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { markEndpointDue } from '../../store/webhooks/deliveries.ts'
import { fanOut } from '../../store/webhooks/delivery-queue.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { organizationForUpdate } from '../../store/identity/access-versions.ts'
import * as store from '../../store/webhooks/endpoints.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'
import { checkRowQuota } from '../quotas.ts'
import { later } from '../../core/dates.ts'

export type Endpoint = store.EndpointRow & { now: string }

export const endpointForWrite = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await store.endpointForUpdate(tx, organization, id)
  if (endpoint === undefined)
    throw await notFoundOrIsolated(tx, organization, 'whk', encodeId('whk', id))
  return endpoint
}

type EndpointIdentity = Pick<store.EndpointRow, 'id' | 'organization_id' | 'mode'>

/** Binds a sealed secret to its endpoint: it cannot be decrypted for another one. */
const secretLabelOf = ({ id, organization_id, mode }: EndpointIdentity): string =>
  `webhook signing secret\n${mode}\n${organization_id}\n${id}`

const generateSecret = (
  keys: ServerKeys,
  endpoint: EndpointIdentity,
): { secret: string; sealed: Buffer } => {
  const secret = formatSecret(randomBytes(limits.webhookSecretBytes))
  return {
    secret,
    sealed: encryptSecret(keys.newest, secretLabelOf(endpoint), secret, randomBytes(nonceBytes)),
  }
}

export interface SigningSecrets {
  current: SigningSecret
  /** Also signs until then. */
  previous: { secret: SigningSecret; untilMs: number } | undefined
}

type SealedSecrets = EndpointIdentity &
  Pick<
    store.EndpointRow,
    'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_valid_until'
  >

/** Undefined if a secret cannot be decrypted; then nothing can be sent. */
export const openSecrets = (
  keys: ServerKeys,
  endpoint: SealedSecrets,
): SigningSecrets | undefined => {
  const { secret_sealed, previous_secret_sealed, previous_secret_valid_until } = endpoint
  const label = secretLabelOf(endpoint)
  const open = (sealed: Buffer) => keys.first((key) => decryptSecret(key, label, sealed))
  const current = open(secret_sealed)
  if (current === undefined) return undefined
  const secrets: SigningSecrets = { current: signingSecret(current), previous: undefined }
  if (previous_secret_sealed === null) return secrets
  const previous = open(previous_secret_sealed)
  if (previous === undefined) return undefined
  const untilMs = Date.parse(previous_secret_valid_until!)
  return { ...secrets, previous: { secret: signingSecret(previous), untilMs } }
}

/** The same secrets under the newest key; undefined if they cannot be decrypted. */
export const reencryptedSecrets = (
  keys: ServerKeys,
  endpoint: SealedSecrets,
): Pick<SealedSecrets, 'secret_sealed' | 'previous_secret_sealed'> | undefined => {
  const label = secretLabelOf(endpoint)
  const again = (sealed: Buffer) => {
    const secret = keys.first((key) => decryptSecret(key, label, sealed))
    if (secret === undefined) return undefined
    return encryptSecret(keys.newest, label, secret, randomBytes(nonceBytes))
  }
  const { secret_sealed: current, previous_secret_sealed: previous } = endpoint
  const [secret_sealed, previous_secret_sealed] = [current, previous].map((sealed) =>
    sealed === null ? null : again(sealed),
  )
  if (!secret_sealed || previous_secret_sealed === undefined) return undefined
  return { secret_sealed, previous_secret_sealed }
}

export interface EndpointRegistration {
  organization: string
  mode: 'live' | 'test'
  url: string
  events: readonly string[]
  description: string | null
}

export interface EndpointWithSecret {
  endpoint: Endpoint
  secret: string
}

export const registerEndpoint = async (
  tx: Queryable,
  keys: ServerKeys,
  { organization, mode, url, events, description }: EndpointRegistration,
): Promise<EndpointWithSecret> => {
  const now = await databaseNow(tx)
  const identity = { id: newId(Date.parse(now)), organization_id: organization, mode }
  const { secret, sealed } = generateSecret(keys, identity)
  await store.insertEndpoint(tx, {
    ...identity,
    url,
    events: [...new Set(events)],
    description,
    secret_sealed: sealed,
    created_at: now,
  })
  return { endpoint: (await store.endpointById(tx, organization, identity.id))!, secret }
}

/** Refused if the organization has as many endpoints as it may. */
export const registerEndpointWithinQuota = async (
  tx: Queryable,
  keys: ServerKeys,
  registration: EndpointRegistration & HeldQuotas,
): Promise<EndpointWithSecret> => {
  const { organization: holder } = registration
  await organizationForUpdate(tx, holder)
  await checkRowQuota(tx, registration, { quota: 'webhook_endpoints', holder })
  return registerEndpoint(tx, keys, registration)
}

const disabledByAdmin = 'Disabled by an admin of the organization.'

/** `url` comes in its stored form. */
export const editEndpoint = async (
  tx: Queryable,
  organization: string,
  id: string,
  edit: WebhookEdit,
): Promise<Endpoint> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  const status = edit.status ?? endpoint.status
  if (edit.events !== undefined || status !== endpoint.status) await fanOutCommitted(tx, id)
  const isStopped = status === 'DISABLED' && endpoint.status === 'ACTIVE'
  await store.updateEndpoint(tx, organization, {
    id,
    url: edit.url ?? endpoint.url,
    events: edit.events === undefined ? endpoint.events : [...new Set(edit.events)],
    description: edit.description === undefined ? endpoint.description : edit.description,
    status,
    disabled_reason:
      status === 'ACTIVE' ? null : isStopped ? disabledByAdmin : endpoint.disabled_reason,
    consecutive_failures: edit.status === 'ACTIVE' ? 0 : endpoint.consecutive_failures,
  })
  return (await store.endpointById(tx, organization, id))!
}

/** What was committed before an edit is delivered, or skipped, as the endpoint was then. */
const fanOutCommitted = async (tx: Queryable, id: string): Promise<void> => {
  while ((await fanOut(tx, [id])).length > 0);
  await markEndpointDue(tx, id)
}

/** Creates a new secret; the previous one also signs until the window closes. */
export const rotateSecret = async (
  tx: Queryable,
  organization: string,
  id: string,
  { keys, windowMs }: { keys: ServerKeys; windowMs: number },
): Promise<EndpointWithSecret> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  const { secret, sealed } = generateSecret(keys, endpoint)
  const validUntil = later(endpoint.now, windowMs)
  await store.rotateEndpointSecret(tx, endpoint, { sealed, validUntil })
  return { endpoint: (await store.endpointById(tx, organization, id))!, secret }
}

/** Its deliveries become unreachable and expire. */
export const removeEndpoint = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  await store.deleteEndpoint(tx, endpoint)
  return endpoint
}

export const endpointDisabled = (): Refusal =>
  refuse('conflict', 'The endpoint is DISABLED. Enable it first: PATCH {"status": "ACTIVE"}.', {
    reason: 'endpoint_disabled',
  })
