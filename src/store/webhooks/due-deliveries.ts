/** The deliveries that a worker sends next, and what a delivery says. */
import { limits } from '../../contract/limits.ts'
import { isPingPayload } from '../../core/webhooks/ping-payload.ts'
import { type Queryable, inlined, raw, sql } from '../../database/sql.ts'
import { BrokenSeal, type RowSeals } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { unnest } from '../../database/table-writes.ts'
import { type StoredEvent, provenEvent, storedEvent } from '../documents/stored-texts.ts'

export interface DueDelivery {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  attempt_count: number
  attempts_before: number
  created_at: string
  /** Null if the event has expired, or is not as it was emitted. */
  payload: string | null
  brokenSeal?: BrokenSeal
  /** The number of due deliveries of the endpoint, up to the fetch limit. */
  waiting: bigint
}

/** The number of due deliveries to fetch for one endpoint, including those already held. */
export interface FetchLimit {
  id: string
  max: number
}

/**
 * Due deliveries per endpoint, in the order in which to send them, limited in number and bytes. A
 * first attempt is always due. After the clock has jumped back, the time of its event is still to
 * come, but never later than the organization's `changed_at`.
 */
export const dueDeliveries = async (
  db: Queryable,
  fetchLimits: readonly FetchLimit[],
): Promise<DueDelivery[]> => {
  const table = unnest(fetchLimits, { id: 'uuid', max: 'integer' })
  const rows = await db.rows<Omit<DueDelivery, 'payload'> & StoredPayload>(sql`
    select id, webhook_id, event_id, event_type, attempt_count, attempts_before, created_at,
      own_payload, event, payload, content, packed, waiting
    from (
      select due.*, shown.event, shown.payload, shown.content, shown.packed,
        sum(coalesce(octet_length(due.own_payload), shown.bytes)) over line as bytes,
        row_number() over line as place,
        count(*) over (partition by due.webhook_id) as waiting
      from ${table} join webhook_endpoints w on w.id = u.id and w.status = 'ACTIVE'
      join organization_counters h on h.organization_id = w.organization_id
      cross join lateral (
        select q.id, q.webhook_id, w.organization_id, q.event_id, q.event_type, q.feed, q.due_at,
          q.attempt_count, q.attempts_before, q.created_at, q.payload as own_payload
        from webhook_delivery q where q.webhook_id = w.id
          and q.due_at <= greatest(now(), h.changed_at)
          and (q.due_at <= now() or q.status = 'pending')
        order by q.due_at, q.feed limit u.max) due
      left join lateral (
        select s.*, octet_length(s.payload) * ${textPerByte} + octet_length(s.content) as bytes
        from (
          select ${storedEvent} from events e left join documents d on d.id = e.document_id
          where e.organization_id = due.organization_id and e.id = due.event_id offset 0) s) shown
        on due.own_payload is null
      window line as (partition by due.webhook_id order by due.due_at, due.feed, due.id)) ranked
    where place = 1 or bytes <= ${inlined(limits.claimBytesPerEndpoint)}
    order by webhook_id, due_at, feed`)
  return rows.map(({ own_payload, event, payload, content, packed, ...due }) => {
    if (own_payload !== null) return { ...due, ...provenPing(due, own_payload) }
    if (payload === null) return { ...due, payload }
    return { ...due, ...provenPayload(db.seals, { event, payload, content, packed }) }
  })
}

/** The bytes that a delivery sends; null if nothing can be sent. */
export const deliveryBody = async (
  db: Queryable,
  delivery: Pick<Rows['webhook_delivery'], 'id' | 'organization_id' | 'event_id' | 'payload'>,
): Promise<string | null> => {
  const { organization_id, event_id, payload } = delivery
  if (payload !== null) return provenPing(delivery, payload).payload
  const stored = await db.row<StoredEvent>(sql`
    select ${storedEvent} from events e left join documents d on d.id = e.document_id
    where e.organization_id = ${organization_id} and e.id = ${event_id}`)
  return stored === undefined ? null : provenPayload(db.seals, stored).payload
}

type StoredPayload = Omit<StoredEvent, 'payload'> & {
  /** The text of a ping. */
  own_payload: string | null
  /** Null for a ping, or when the event is gone. */
  payload: Buffer | null
}

type Proven = Pick<DueDelivery, 'payload' | 'brokenSeal'>

/** A false event costs its own delivery, and none of the others. */
const provenPayload = (seals: RowSeals, event: StoredEvent): Proven => {
  try {
    return { payload: provenEvent(seals, event).text }
  } catch (error) {
    if (error instanceof BrokenSeal) return { payload: null, brokenSeal: error }
    throw error
  }
}

/** The row has no seal, but a ping says nothing, so its whole form is known. */
const provenPing = (due: { id: string; event_id: string }, payload: string): Proven =>
  isPingPayload(due.event_id, payload)
    ? { payload }
    : { payload: null, brokenSeal: new BrokenSeal('webhook_delivery', due.id) }

/** About how many characters a byte of a stored payload stands for. */
const textPerByte = raw('4')
