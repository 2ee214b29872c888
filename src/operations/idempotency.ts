/** How a write ended: for a caller that lost the answer and the connection. */
import { Type } from 'typebox'
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { OutputObject } from '../contract/shapes/objects-and-pages.ts'
import { Id, Nullable, StringEnum } from '../contract/shapes/field-types.ts'
import { encodeId } from '../core/ids.ts'
import { keyMac, advisoryLockKey } from '../engine/idempotency.ts'
import { isKeyLocked, storedResponses } from '../store/idempotency.ts'
import { operation } from './operation.ts'

const { idempotencyKeyMinLength: least, idempotencyKeyMaxLength: most } = limits

export const idempotency = operation({
  id: 'idempotency.get',
  method: 'GET',
  path: '/v1/idempotency/{key}',
  summary: 'Read how a write with an Idempotency-Key ended',
  since: '1.15.0',
  allowed: 'any',
  response: OutputObject(
    {
      status: StringEnum(['unknown', 'in_progress', 'succeeded'], 'How it stands.'),
      resource_id: Type.Optional(
        Nullable(Type.String({ description: 'What the write made or changed.' })),
      ),
      request_id: Type.Optional(Id('req', 'The request that succeeded.')),
    },
    'The state of one Idempotency-Key of the organization.',
  ),
}).reads(async ({ context, organization, read }, { params }) => {
  const { key } = params
  if (key.length < least || key.length > most) {
    throw invalidRequest([
      {
        param: 'key',
        code: 'invalid_value',
        message: `An Idempotency-Key has ${least} to ${most} characters.`,
        fix: 'name the key that the write was sent with',
      },
    ])
  }
  const mac = keyMac(context.keyring.idempotency, organization.id, key)
  if (context.engine.isKeyInProgress(mac)) return { body: { status: 'in_progress' } }
  // The lock is looked at before the reply, so that a write that ends in between is not missed.
  const isRunning = await isKeyLocked(read, advisoryLockKey(mac))
  const [reply] = await storedResponses(read, [mac])
  const age = reply === undefined ? 0 : Date.now() - Date.parse(reply.created_at)
  if (reply !== undefined && age < context.config.idempotencyRetentionMs) {
    const request_id = encodeId('req', reply.request_id)
    return { body: { status: 'succeeded', resource_id: reply.resource_id, request_id } }
  }
  return { body: { status: isRunning ? 'in_progress' : 'unknown' } }
})
