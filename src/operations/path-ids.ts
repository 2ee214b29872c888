/** Ids in paths: a malformed id is treated like an unknown one (404). */
import type { Call } from '../context.ts'
import { notFoundOrIsolated } from '../changes/identity/sandbox-isolation.ts'
import { notFound } from '../contract/errors.ts'
import { type IdPrefix, decodeId, resourceOfPrefix } from '../core/ids.ts'
import type { Queryable } from '../database/sql.ts'
import type { OwnedPrefix } from '../store/identity/record-owner.ts'

export const uuidOrNotFound = (prefix: IdPrefix, publicId: string): string => {
  const id = decodeId(prefix, publicId)
  if (id === undefined) throw notFound(resourceOfPrefix[prefix], publicId)
  return id
}

type FindById<Row> = (db: Queryable, organization: string, id: string) => Promise<Row | undefined>

/** The caller's own record with this id, unless it does not exist or is in the other mode. */
export const ownRecord = async <Row>(
  call: Call,
  prefix: OwnedPrefix,
  publicId: string,
  findById: FindById<Row>,
): Promise<Row> => {
  const organization = call.organization.id
  const row = await findById(call.read, organization, uuidOrNotFound(prefix, publicId))
  if (row !== undefined) return row
  throw await notFoundOrIsolated(call.read, organization, prefix, publicId)
}
