/** Registering, changing and rotating webhook endpoints (specification 2.4 and 6.3, contract 7). */
import { randomBytes } from 'node:crypto'
import { type Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { WebhookEdit } from '../../contract/shapes/webhooks.ts'
import { encodeId } from '../../core/ids.ts'
import { decryptSecret, encryptSecret } from '../../core/secret-encryption.ts'
import { type SigningSecret, formatSecret, signingSecret } from '../../core/webhooks/signature.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { fanOut } from '../../store/webhooks/delivery-queue.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type EndpointRow,
  countEndpointsForUpdate,
  deleteEndpoint,
  endpointById,
  endpointForUpdate,
  insertEndpoint,
  updateEndpoint,
  rotateEndpointSecret,
} from '../../store/webhooks/endpoints.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'

export type Endpoint = EndpointRow & { now: string }

export const endpointForWrite = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await endpointForUpdate(tx, organization, id)
  if (endpoint === undefined)
    throw await notFoundOrIsolated(tx, organization, 'whk', encodeId('whk', id))
  return endpoint
}

type EndpointIdentity = Pick<EndpointRow, 'id' | 'organization_id' | 'mode'>

/** What a sealed secret is bound to: moved to another endpoint it does not open. */
const secretLabelOf = ({ id, organization_id, mode }: EndpointIdentity): string =>
  `webhook signing secret\n${mode}\n${organization_id}\n${id}`

const generateSecret = (
  key: Buffer,
  endpoint: EndpointIdentity,
): { secret: string; sealed: Buffer } => {
  const secret = formatSecret(randomBytes(limits.webhookSecretBytes))
  return { secret, sealed: encryptSecret(key, secretLabelOf(endpoint), secret, randomBytes(12)) }
}

export interface SigningSecrets {
  current: SigningSecret
  /** Signs as well, until then. */
  previous: { secret: SigningSecret; untilMs: number } | undefined
}

type SealedSecrets = EndpointIdentity &
  Pick<EndpointRow, 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_valid_until'>

/** Undefined when a secret cannot be opened: then nothing can be sent. */
export const openSecrets = (key: Buffer, endpoint: SealedSecrets): SigningSecrets | undefined => {
  const { secret_sealed, previous_secret_sealed, previous_secret_valid_until } = endpoint
  const label = secretLabelOf(endpoint)
  const current = decryptSecret(key, label, secret_sealed)
  if (current === undefined) return undefined
  const secrets: SigningSecrets = { current: signingSecret(current), previous: undefined }
  if (previous_secret_sealed === null) return secrets
  const previous = decryptSecret(key, label, previous_secret_sealed)
  if (previous === undefined) return undefined
  const untilMs = Date.parse(previous_secret_valid_until!)
  return { ...secrets, previous: { secret: signingSecret(previous), untilMs } }
}

export interface EndpointRegistration {
  organization: string
  mode: string
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
  key: Buffer,
  { organization, mode, url, events, description }: EndpointRegistration,
): Promise<EndpointWithSecret> => {
  const most = limits.webhookEndpointsMax
  if ((await countEndpointsForUpdate(tx, organization)) >= most) {
    throw refuse(
      'conflict',
      `An organization has at most ${most} endpoints. Delete one that is not needed.`,
      { reason: 'too_many_endpoints' },
    )
  }

  // From here the change must succeed.
  const now = await databaseNow(tx)
  const owned = { id: newId(Date.parse(now)), organization_id: organization, mode }
  const { secret, sealed } = generateSecret(key, owned)
  await insertEndpoint(tx, {
    ...owned,
    url,
    events: [...new Set(events)],
    description,
    secret_sealed: sealed,
    created_at: now,
  })
  return { endpoint: (await endpointById(tx, organization, owned.id))!, secret }
}

const disabledByAdmin = 'Disabled by an admin of the organization.'

/** `url` in the form in which it is stored. */
export const editEndpoint = async (
  tx: Queryable,
  organization: string,
  id: string,
  edit: WebhookEdit,
): Promise<Endpoint> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  const status = edit.status ?? endpoint.status
  if (status === 'ACTIVE' && endpoint.status === 'DISABLED') await skipMissed(tx, id)
  const isStopped = status === 'DISABLED' && endpoint.status === 'ACTIVE'
  await updateEndpoint(tx, {
    id,
    url: edit.url ?? endpoint.url,
    events: edit.events === undefined ? endpoint.events : [...new Set(edit.events)],
    description: edit.description === undefined ? endpoint.description : edit.description,
    status,
    disabled_reason:
      status === 'ACTIVE' ? null : isStopped ? disabledByAdmin : endpoint.disabled_reason,
    consecutive_failures: edit.status === 'ACTIVE' ? 0 : endpoint.consecutive_failures,
  })
  return (await endpointById(tx, organization, id))!
}

/** What committed while it was DISABLED is skipped, even if no worker has come by since. */
const skipMissed = async (tx: Queryable, id: string): Promise<void> => {
  while ((await fanOut(tx, [id])).length > 0);
}

/** A new secret; the one before it signs as well until the window closes. */
export const rotateSecret = async (
  tx: Queryable,
  organization: string,
  id: string,
  by: { key: Buffer; windowMs: number },
): Promise<EndpointWithSecret> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  const { secret, sealed } = generateSecret(by.key, endpoint)
  const until = new Date(Date.parse(endpoint.now) + by.windowMs).toISOString()
  await rotateEndpointSecret(tx, id, sealed, until)
  return { endpoint: (await endpointById(tx, organization, id))!, secret }
}

/** Its deliveries are unreachable from now on, and age out. */
export const removeEndpoint = async (
  tx: Queryable,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await endpointForWrite(tx, organization, id)
  await deleteEndpoint(tx, id)
  return endpoint
}

export const endpointDisabled = (): Refusal =>
  refuse('conflict', 'The endpoint is DISABLED. Enable it first: PATCH {"status": "ACTIVE"}.', {
    reason: 'endpoint_disabled',
  })
