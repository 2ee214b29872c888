/**
 * Sandbox and live are isolated (contract 2 and 11): a record of the caller's own organization in
 * the other mode is refused as such; anyone else's does not exist. "Own" means one owner: a
 * practice organization and the organization it was provisioned for.
 */
import { type Refusal, notFound, refuse } from '../../contract/errors.ts'
import { decodeId, resourceOfPrefix } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { Queryable } from '../../database/sql.ts'
import * as documents from '../../store/documents/documents.ts'
import { type OwnedPrefix, isRecordOwnInOtherMode } from '../../store/identity/record-owner.ts'

export const haveSameOwner = (unit: UnitOfWork, one: string, other: string): boolean =>
  one !== other &&
  (unit.get('organizations', one)?.sandbox_of === other ||
    unit.get('organizations', other)?.sandbox_of === one)

export const isolationRefusal = (): Refusal =>
  refuse(
    'sandbox_isolation',
    'The record lives in the other environment of the same owner: a live record takes a live credential (rk_live_…), a sandbox record one of the sandbox (rk_test_…).',
  )

/** The refusal of a missing record: it is in the other mode, or it does not exist. */
export const notFoundOrIsolated = async (
  session: Queryable,
  organization: string,
  prefix: OwnedPrefix | 'doc',
  encodedId: string,
): Promise<Refusal> => {
  const id = decodeId(prefix, encodedId)
  if (id === undefined) return notFound(resourceOfPrefix[prefix], encodedId)
  const isOwn =
    prefix === 'doc'
      ? await documents.isDocumentOwnInOtherMode(session, { id, organization })
      : await isRecordOwnInOtherMode(session, organization, prefix, id)
  return isOwn ? isolationRefusal() : notFound(resourceOfPrefix[prefix], encodedId)
}
