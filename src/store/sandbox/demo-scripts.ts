/** The demo counterparties of sandboxes, and the scripts that they follow. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import type { Rows } from '../../database/rows.ts'

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

export type DueDemoScript = Pick<Rows['demo_scripts'], 'document_id' | 'organization_id'> & {
  due_at: string
}

/**
 * The scripts whose next step is due by the demo counterparty's clock, the earliest first: all of
 * them, or those of some demo counterparties.
 */
export const dueDemoScripts = (
  db: Queryable,
  limit: number,
  organizations?: readonly string[],
): Promise<DueDemoScript[]> => {
  const ofDemos =
    organizations === undefined
      ? sql``
      : sql`and s.organization_id = any(${columnArray('uuid', organizations)})`
  return db.rows<DueDemoScript>(sql`
    select s.document_id, s.organization_id, s.due_at from demo_scripts s
    join organizations o on o.id = s.organization_id
    where s.due_at is not null ${ofDemos}
      and s.due_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)
    order by s.due_at, s.document_id limit ${limit}`)
}
