/** The request log of an organization: the requests of its programs and their outcomes. */
import type { Static } from 'typebox'
import { limits } from '../contract/limits.ts'
import {
  type RequestLogEntry,
  RequestLogDetail,
  RequestFilters,
  RequestPage,
} from '../contract/shapes/request-log.ts'
import { problemCodes } from '../contract/problem.ts'
import { decodeId, encodeId, firstUuidAt, timeOfUuid } from '../core/ids.ts'
import { hasTexts, isObject, uuidsIn, valueIn } from '../core/unsealed-values.ts'
import { type RequestRow, loggedRequests, requestById } from '../store/request-log.ts'
import { operation } from './operation.ts'
import { cursorsOf } from './paging.ts'
import { ownRecord } from './path-ids.ts'
import { upperBoundOf } from './time-bounds.ts'

type LoggedError = NonNullable<Static<typeof RequestLogDetail>['error']>

const errorOf = ({ error }: RequestRow): LoggedError | null => {
  const value = valueIn(error)
  return isLoggedError(value) ? value : null
}

const isLoggedError = (value: unknown): value is LoggedError =>
  isObject(value) &&
  hasTexts(value, ['code', 'message']) &&
  Array.isArray(value['problems']) &&
  value['problems'].every(isProblem)

const isProblem = (problem: unknown): boolean =>
  hasTexts(problem, ['param', 'code', 'message']) &&
  isObject(problem) &&
  problemCodes.some((code) => code === problem['code']) &&
  ['string', 'undefined'].includes(typeof problem['fix'])

const toEntry = (row: RequestRow): RequestLogEntry => ({
  id: encodeId('req', row.id),
  method: row.method,
  path: row.path,
  status: row.status,
  error_code: errorOf(row)?.code ?? null,
  key_id: row.key_id === null ? null : encodeId('key', row.key_id),
  duration_ms: row.duration_ms,
  idempotency_key: row.idempotency_key,
  user_id: row.user_id === null ? null : encodeId('usr', row.user_id),
  address: row.address,
  original_request_id:
    row.original_request_id === null ? null : encodeId('req', row.original_request_id),
  document_id: row.document_id === null ? null : encodeId('doc', row.document_id),
  event_ids: uuidsIn(row.event_ids).map((id) => encodeId('evt', id)),
  created_at: new Date(timeOfUuid(row.id)).toISOString(),
})

export const list = operation({
  id: 'requests.list',
  method: 'GET',
  path: '/v1/requests',
  family: 'keys',
  summary: 'List requests, newest first',
  description:
    'Returns the requests of the organization in the last 30 days, without bodies, to help you find mistakes. A request appears a second or two after its response. Under very high load, some may be missing.',
  since: '1.15.0',
  allowed: 'admin',
  query: RequestFilters,
  response: RequestPage,
  summaryFields: ['id', 'method', 'path', 'status', 'key_id', 'created_at'],
  toolFields: ['id', 'method', 'path', 'status'],
}).reads(async (call, { query }) => {
  const { cursor, limit = limits.pageDefault, ...filters } = query
  const { key, status, error_code, replayed, path, since, until } = filters
  const organization = call.organization.id
  const cursors = cursorsOf(call, 'requests', filters)
  const { rows, next } = await loggedRequests(
    call.read,
    organization,
    {
      keys: key?.map((id) => decodeId('key', id)!),
      statuses: status,
      errorCodes: error_code,
      isReplay: replayed === undefined ? undefined : replayed === 'true',
      path,
    },
    {
      before: cursors.open(cursor),
      from: since === undefined ? since : firstIdAt(Date.parse(since)),
      to: until === undefined ? until : firstIdAt(Date.parse(upperBoundOf(until)) + 1),
      limit,
    },
  )
  const next_cursor = cursors.seal(next)
  return { body: { data: rows.map(toEntry), next_cursor, has_more: next_cursor !== null } }
})

export const get = operation({
  id: 'requests.get',
  method: 'GET',
  path: '/v1/requests/{request_id}',
  family: 'keys',
  summary: 'Retrieve a request',
  description:
    'Returns what was answered to a request, by the `request_id` of its error or the `Request-Id` of its response. A request appears a second or two after its response, and is kept for 30 days.',
  since: '1.16.0',
  allowed: 'admin',
  response: RequestLogDetail,
  errors: ['not_found'],
}).reads(async (call, { params }) => {
  const row = await ownRecord(call, 'req', params.request_id, requestById)
  return { body: { ...toEntry(row), error: errorOf(row) } }
})

/** Clamped to 1970, the earliest time that an id can hold. */
const firstIdAt = (ms: number): string => firstUuidAt(Math.max(0, ms))
