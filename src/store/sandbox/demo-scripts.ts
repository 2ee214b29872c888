/** The demo counterparties of sandboxes, and the scripts that they follow. */
import { type Queryable, raw, sql } from '../../database/sql.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import { type DueRowsRequest, isPast } from '../due-rows.ts'
import { isAmong } from '../../database/conditions.ts'

/** The demo counterparty of the organization's practice pair, and the connection to it. */
export const demoCounterparty = async (
  db: Queryable,
  organization: string,
): Promise<{ id: string; connection_id: string } | undefined> => {
  const sandbox = await sealedRow(
    db,
    'sandboxes',
    sql`join connections c on c.id = t.connection_id and c.status = 'active'
      where t.organization_id = ${organization}`,
  )
  return sandbox && { id: sandbox.demo_organization_id, connection_id: sandbox.connection_id }
}

/** The tables of scripts, each with the column of what a script is about, which is its key. */
const subjects = { demo_scripts: 'document_id', demo_loans: 'listing_id' } as const

export interface DueScript {
  /** The document or the listing that it is about. */
  id: string
  organization_id: string
  due_at: string
}

/** The scripts whose next step is due by the demo counterparty's clock, the earliest first. */
export const dueScripts = (
  db: Queryable,
  table: keyof typeof subjects,
  request: DueRowsRequest,
): Promise<DueScript[]> =>
  db.rows(sql`
    select s.${raw(subjects[table])} as id, s.organization_id, s.due_at from ${raw(table)} s
    join organizations o on o.id = s.organization_id
    where s.due_at is not null and ${isPast('s.due_at', request)}
      and ${isAmong('s.organization_id', 'uuid', request.organizations)}
    order by s.due_at, id limit ${request.limit}`)
