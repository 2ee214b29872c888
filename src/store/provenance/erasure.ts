/** Erasure: deletes the content of history events and rewrites its copies. */
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { sendUpdates, updateRows } from '../../database/table-writes.ts'
import {
  type StoredEvent,
  type StoredResponseRow,
  provenEvent,
  provenResponse,
  storedEvent,
  storedResponse,
} from '../documents/stored-texts.ts'
import { paymentAmountsOf } from '../documents/search-index.ts'
import { mergeSearchWords } from '../documents/search-indexing.ts'

const remains = [
  'commitments',
  'salts',
  'shared_body',
  'issuer_body',
  'counterparty_body',
  'finance_body',
]

/** Saves the bodies and salts that remain of these events. */
export const keepRemains = (
  tx: Queryable,
  events: readonly Rows['prov_event'][],
): Promise<number> =>
  updateRows(tx, 'prov_event', { key: ['document_id', 'seq'], set: remains, rows: events })

/** Replaces the words by which a viewer finds the document, if it is indexed already. */
export const replaceSearchWords = async (
  tx: Queryable,
  { organization, position, words }: { organization: string; position: bigint; words: string },
): Promise<void> => {
  await tx.run(sql`
    update search_entries set words = array_to_tsvector(string_to_array(${words}, ' '))
    where organization_id = ${organization} and position = ${position}`)
  await mergeSearchWords(tx)
}

export const paymentAmounts = async (tx: Queryable, id: string): Promise<string | null> => {
  const row = await tx.row<{ payment_amounts: string | null }>(
    sql`select ${paymentAmountsOf(sql`${id}`)}`,
  )
  return row!.payment_amounts
}

export type ProvenResponse = ReturnType<typeof provenResponse>

/** The stored responses that show the document: those of files and payments have no text of it. */
export const responsesAbout = (tx: Queryable, id: string): Promise<ProvenResponse[]> =>
  responsesWhere(tx, sql`i.document_id = ${id} and i.resource_id is null`)

/** The stored responses of the writes that created or changed these records. */
export const responsesOf = (
  tx: Queryable,
  resources: readonly string[],
): Promise<ProvenResponse[]> =>
  responsesWhere(tx, sql`i.resource_id = any(${columnArray('text', resources)})`)

/** Locked, since the key of an expired one may get the response of another write. */
const responsesWhere = async (tx: Queryable, condition: SqlQuery): Promise<ProvenResponse[]> => {
  const rows = await tx.rows<StoredResponseRow>(sql`
    select ${storedResponse} from idempotency i left join documents d on d.id = i.document_id
    where ${condition} for no key update of i`)
  return rows.map((row) => provenResponse(tx.seals, row))
}

export const updateResponseTexts = (
  tx: Queryable,
  responses: readonly ProvenResponse[],
): Promise<number> =>
  updateRows(tx, 'idempotency', { key: ['key_mac'], set: ['body'], rows: responses })

/** Deletes the responses of the writes that created or changed these records. */
export const deleteStoredResponsesOf = (
  tx: Queryable,
  resources: readonly string[],
): Promise<number> =>
  tx.run(sql`delete from idempotency where resource_id = any(${columnArray('text', resources)})`)

/**
 * Deletes the responses of endpoints, since they may echo the content of an event. Those of
 * attempts that are under way are not kept: who records one waits for the lock of its endpoint. The
 * id of a delivery begins with the time of its event (delivery_id_of), by which it is found. The
 * caller has locked the endpoints.
 */
export const deleteAttemptResponses = async (tx: Queryable, id: string): Promise<void> => {
  const deliveries = await tx.rows<{ id: string }>(sql`
    update webhook_delivery d set is_erased = true
    from events e
    where e.document_id = ${id} and d.organization_id = e.organization_id and d.event_id = e.id
      and d.id >= (left(e.id::text, 14) || '7000-8000-000000000000')::uuid
      and d.id <= (left(e.id::text, 14) || '7fff-8fff-ffffffffffff')::uuid
    returning d.id`)
  const ids = deliveries.map((delivery) => delivery.id)
  await tx.run(sql`
    update webhook_attempt set response_body = null, response_headers = null
    where delivery_id = any(${columnArray('uuid', ids)})
      and (response_body is not null or response_headers is not null)`)
}

export type ProvenEvent = ReturnType<typeof provenEvent>

/** The stored events of a document, each with its text. */
export const eventsAbout = async (tx: Queryable, id: string): Promise<ProvenEvent[]> => {
  const events = await tx.rows<StoredEvent>(sql`
    select ${storedEvent} from events e join documents d on d.id = e.document_id
    where e.document_id = ${id}`)
  return events.map((event) => provenEvent(tx.seals, event))
}

export const updateEventTexts = (tx: Queryable, events: readonly ProvenEvent[]): Promise<number> =>
  sendUpdates(tx, 'events', { key: ['organization_id', 'id'], set: ['payload'], rows: events })
