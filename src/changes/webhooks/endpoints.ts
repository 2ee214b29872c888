/** Registering, changing and rotating webhook endpoints (specification 2.4 and 6.3, contract 7). */
import { randomBytes } from 'node:crypto'
import { type Refusal, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { WebhookEdit } from '../../contract/shapes/webhooks.ts'
import { encodeId } from '../../core/ids.ts'
import { openSealed, sealSecret } from '../../core/secret-encryption.ts'
import { type SigningSecret, secretText, signingSecret } from '../../core/webhooks/signature.ts'
import { newId } from '../../database/new-ids.ts'
import type { Session } from '../../database/sql.ts'
import { fanOut } from '../../store/webhooks/delivery-queue.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type EndpointRow,
  countEndpointsForUpdate,
  deleteEndpoint,
  endpointById,
  endpointForUpdate,
  insertEndpoint,
  setEndpoint,
  setSecret,
} from '../../store/webhooks/endpoints.ts'
import { missing } from '../identity/sandbox-isolation.ts'

export type Endpoint = EndpointRow & { now: string }

export const lockedEndpoint = async (
  tx: Session,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await endpointForUpdate(tx, organization, id)
  if (endpoint === undefined) throw await missing(tx, organization, 'whk', encodeId('whk', id))
  return endpoint
}

type Owned = Pick<EndpointRow, 'id' | 'organization_id' | 'mode'>

/** What a sealed secret is bound to: moved to another endpoint it does not open. */
const labelOf = ({ id, organization_id, mode }: Owned): string =>
  `webhook signing secret\n${mode}\n${organization_id}\n${id}`

const newSecret = (key: Buffer, endpoint: Owned): { secret: string; sealed: Buffer } => {
  const secret = secretText(randomBytes(limits.webhookSecretBytes))
  return { secret, sealed: sealSecret(key, labelOf(endpoint), secret, randomBytes(12)) }
}

export interface Secrets {
  current: SigningSecret
  /** Signs as well, until then. */
  previous: { secret: SigningSecret; untilMs: number } | undefined
}

type Sealed = Owned &
  Pick<EndpointRow, 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_valid_until'>

/** Undefined when a secret cannot be opened: then nothing can be sent. */
export const openSecrets = (key: Buffer, endpoint: Sealed): Secrets | undefined => {
  const { secret_sealed, previous_secret_sealed, previous_secret_valid_until } = endpoint
  const label = labelOf(endpoint)
  const current = openSealed(key, label, secret_sealed)
  if (current === undefined) return undefined
  const secrets: Secrets = { current: signingSecret(current), previous: undefined }
  if (previous_secret_sealed === null) return secrets
  const previous = openSealed(key, label, previous_secret_sealed)
  if (previous === undefined) return undefined
  const untilMs = Date.parse(previous_secret_valid_until!)
  return { ...secrets, previous: { secret: signingSecret(previous), untilMs } }
}

export interface NewWebhook {
  organization: string
  mode: string
  url: string
  events: readonly string[]
  description: string | null
}

export interface WithSecret {
  endpoint: Endpoint
  secret: string
}

export const registerEndpoint = async (
  tx: Session,
  key: Buffer,
  { organization, mode, url, events, description }: NewWebhook,
): Promise<WithSecret> => {
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
  const { secret, sealed } = newSecret(key, owned)
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
  tx: Session,
  organization: string,
  id: string,
  edit: WebhookEdit,
): Promise<Endpoint> => {
  const endpoint = await lockedEndpoint(tx, organization, id)
  const status = edit.status ?? endpoint.status
  if (status === 'ACTIVE' && endpoint.status === 'DISABLED') await skipMissed(tx, id)
  const isStopped = status === 'DISABLED' && endpoint.status === 'ACTIVE'
  await setEndpoint(tx, {
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
const skipMissed = async (tx: Session, id: string): Promise<void> => {
  while ((await fanOut(tx, [id])).length > 0);
}

/** A new secret; the one before it signs as well until the window closes. */
export const rotateSecret = async (
  tx: Session,
  organization: string,
  id: string,
  by: { key: Buffer; windowMs: number },
): Promise<WithSecret> => {
  const endpoint = await lockedEndpoint(tx, organization, id)
  const { secret, sealed } = newSecret(by.key, endpoint)
  const until = new Date(Date.parse(endpoint.now) + by.windowMs).toISOString()
  await setSecret(tx, id, sealed, until)
  return { endpoint: (await endpointById(tx, organization, id))!, secret }
}

/** Its deliveries are unreachable from now on, and age out. */
export const removeEndpoint = async (
  tx: Session,
  organization: string,
  id: string,
): Promise<Endpoint> => {
  const endpoint = await lockedEndpoint(tx, organization, id)
  await deleteEndpoint(tx, id)
  return endpoint
}

export const endpointDisabled = (): Refusal =>
  refuse('conflict', 'The endpoint is DISABLED. Enable it first: PATCH {"status": "ACTIVE"}.', {
    reason: 'endpoint_disabled',
  })
