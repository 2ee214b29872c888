/** What documents refer to. */
import { type Session, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'

export const deleteLinks = (session: Session, from: readonly string[]): Promise<number> =>
  session.run(
    sql`delete from document_links where from_id = any(${columnArray('uuid', from)}::uuid[])`,
  )
