/** Erasure: deletes the content of history events and rewrites its copies. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'
import { updateRows } from '../../database/table-writes.ts'
import { type StoredEvent, shownDocument } from '../documents/stored-texts.ts'
import { mergeSearchWords } from '../documents/search-index.ts'

const remains = [
  ...['commitments', 'salts', 'shared_body', 'issuer_body', 'counterparty_body', 'finance_body'],
]

/** Saves the bodies and salts that remain of these events. */
export const keepRemains = (
  tx: Queryable,
  events: readonly Rows['prov_event'][],
): Promise<number> => updateRows(tx, 'prov_event', ['document_id', 'seq'], remains, events)

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

export const deleteStoredResponsesAbout = (tx: Queryable, id: string): Promise<number> =>
  tx.run(sql`delete from idempotency where document_id = ${id}`)

/** Deletes the response bodies of endpoints, since they may echo the content of an event. */
export const deleteAttemptResponseBodies = (tx: Queryable, id: string): Promise<number> =>
  tx.run(sql`
    update webhook_attempt a set response_body = null
    from events e
    join webhook_delivery d on d.organization_id = e.organization_id and d.event_id = e.id
    where e.document_id = ${id} and a.delivery_id = d.id and a.response_body is not null`)

type EventEnvelope = Pick<Rows['events'], 'organization_id' | 'feed' | 'payload'>
type StoredEnvelope = EventEnvelope & StoredEvent

/** The stored events of a document, each with the content that it shows. */
export const eventEnvelopes = (tx: Queryable, id: string): Promise<StoredEnvelope[]> =>
  tx.rows(sql`
    select e.organization_id, e.feed, e.id, e.created_at, e.payload, ${shownDocument('e')}
    from events e join documents d on d.id = e.document_id where e.document_id = ${id}`)

export const updateEventEnvelope = (
  tx: Queryable,
  { organization_id, feed, payload }: EventEnvelope,
): Promise<number> =>
  tx.run(sql`
    update events set payload = ${payload}
    where organization_id = ${organization_id} and feed = ${feed}`)
