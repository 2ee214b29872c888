/**
 * Sandbox and live are kept apart (contract 2 and 11): a record of the caller's own organization in
 * the other mode is refused by name; anyone else's does not exist. «Own» means one owner: a
 * practice organization and the organization it was provisioned for.
 */
import { type Refusal, notFound, refuse } from '../../contract/errors.ts'
import { decodeId, resourceOfPrefix } from '../../core/ids.ts'
import type { World } from '../../engine/unit-of-work.ts'
import type { Session } from '../../database/sql.ts'
import * as documents from '../../store/documents/documents.ts'
import { type Owned, isOwnInOtherMode } from '../../store/identity/record-owner.ts'

export const haveOneOwner = (world: World, one: string, other: string): boolean =>
  one !== other &&
  (world.get('organizations', one)?.sandbox_of === other ||
    world.get('organizations', other)?.sandbox_of === one)

export const isolated = (): Refusal =>
  refuse(
    'sandbox_isolation',
    'The record lives in the other environment of the same owner: a live record takes a live credential (rk_live_…), a sandbox record one of the sandbox (rk_test_…).',
  )

/** Why this organization has no such record: it is in the other mode, or there is none. */
export const missing = async (
  session: Session,
  organization: string,
  prefix: Owned | 'doc',
  shown: string,
): Promise<Refusal> => {
  const id = decodeId(prefix, shown)
  if (id === undefined) return notFound(resourceOfPrefix[prefix], shown)
  const isOwn =
    prefix === 'doc'
      ? await documents.isOwnInOtherMode(session, { id, organization })
      : await isOwnInOtherMode(session, organization, prefix, id)
  return isOwn ? isolated() : notFound(resourceOfPrefix[prefix], shown)
}
