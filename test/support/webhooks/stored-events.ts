/** The events that the database holds, with their payloads as clients read them. */
import type { Rows } from '../../../src/database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../../src/database/sql.ts'
import {
  type ShownDocument,
  eventText,
  shownDocument,
} from '../../../src/store/documents/stored-texts.ts'

/** The payload is empty if the document is gone whose content it shows. */
export type StoredEvent = Omit<Rows['events'], 'payload'> & { payload: string }

/** Those to which the condition on `e` applies, per organization in the order of its feed. */
export const storedEvents = async (
  db: Queryable,
  condition: SqlQuery = sql`true`,
): Promise<StoredEvent[]> => {
  const events = await db.rows<Rows['events'] & ShownDocument>(sql`
    select e.*, ${shownDocument('e')}
    from events e left join documents d on d.id = e.document_id
    where ${condition} order by e.organization_id, e.feed`)
  return events.map(({ content, packed, payload, ...event }) => ({
    ...event,
    payload: content === null ? '' : eventText({ ...event, content, packed, payload }),
  }))
}

/** The envelopes of one organization's feed. */
export const storedEnvelopes = async (
  db: Queryable,
  organization: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- an envelope
): Promise<any[]> =>
  (await storedEvents(db, sql`e.organization_id = ${organization}`)).map(({ payload }) =>
    JSON.parse(payload),
  )
