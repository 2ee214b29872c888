/** The outcome of a write, for callers that lost the connection before its response. */
import { invalidRequest } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { IdempotencyState } from '../contract/shapes/account.ts'
import { encodeId } from '../core/ids.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { Queryable } from '../database/sql.ts'
import { isKeptKey, keyMacs, lockOf, obstacleOf } from '../engine/idempotency.ts'
import { type StoredResponse, isKeyLocked, storedResponses } from '../store/idempotency.ts'
import { operation } from './operation.ts'

const { idempotencyKeyMinLength: minLength, idempotencyKeyMaxLength: maxLength } = limits

export const idempotency = operation({
  id: 'idempotency.get',
  method: 'GET',
  path: '/v1/idempotency/{key}',
  summary: 'Retrieve the outcome of a write',
  since: '1.15.0',
  allowed: 'any',
  response: IdempotencyState,
}).reads(async ({ context, organization, read }, { params }) => {
  const { key } = params
  if (key.length < minLength || key.length > maxLength) {
    throw invalidRequest({
      param: 'key',
      code: 'invalid_value',
      message: `An Idempotency-Key has ${minLength} to ${maxLength} characters.`,
      fix: 'send the Idempotency-Key of the write',
    })
  }
  const lock = lockOf(organization.id, key)
  if (context.engine.isKeyInProgress(lock)) return { body: { status: 'in_progress' } }
  // The lock is checked before the response, so that a write that ends in between is not missed.
  const isRunning = await isKeyLocked(read, lock)
  const macs = keyMacs(context.keyring.idempotency, organization.id, key)
  const [response] = await storedResponses(read, macs)
  const obstacle = response && obstacleOf(response)
  if (obstacle !== undefined) throw obstacle
  const { idempotencyRetentionMs } = context.config
  if (
    response !== undefined &&
    !isKeptKey(response) &&
    (await ageOf(read, response)) < idempotencyRetentionMs
  ) {
    const request_id = encodeId('req', response.request_id)
    const { document_id } = response
    const document = document_id === null ? null : encodeId('doc', document_id)
    const resource_id = response.resource_id ?? document
    return { body: { status: 'succeeded', resource_id, request_id } }
  }
  return { body: { status: isRunning ? 'in_progress' : 'unknown' } }
})

/** By the clock that decides whether a repeated write gets the response again. */
const ageOf = async (
  db: Queryable,
  { created_at }: Pick<StoredResponse, 'created_at'>,
): Promise<number> => Date.parse(await databaseNow(db)) - Date.parse(created_at)
