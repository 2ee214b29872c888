/** Saves, changes and deletes the views of a person (contract 12). */
import { invalidRequest, notFound } from '../../contract/errors.ts'
import { identityLimits } from '../../contract/identity-limits.ts'
import type { SavedViewCreate, SavedViewUpdate } from '../../contract/shapes/saved-views.ts'
import { decodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/identity/saved-views.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'

export const createSavedView = async (
  tx: Queryable,
  owner: store.ViewOwner,
  { name, list, query }: SavedViewCreate,
): Promise<store.SavedViewRow> => {
  const { savedViewsMax: most } = identityLimits
  if ((await store.countSavedViews(tx, owner)) >= most) {
    throw invalidRequest({
      param: '/name',
      code: 'out_of_range',
      message: `A person keeps at most ${most} views for one organization.`,
      fix: 'delete one that is no longer used',
    })
  }

  // From here the change must succeed.
  const at = await databaseNow(tx)
  const row: store.SavedViewRow = {
    id: newId(Date.parse(at)),
    user_id: owner.user,
    organization_id: owner.organization,
    name,
    list,
    query,
    created_at: at,
    updated_at: at,
  }
  await store.insertSavedView(tx, row)
  return row
}

export const updateSavedView = async (
  tx: Queryable,
  owner: store.ViewOwner,
  publicId: string,
  { name, query }: SavedViewUpdate,
): Promise<store.SavedViewRow> => {
  const row = await ownView(tx, owner, publicId)
  const changed = { name: name ?? row.name, query: query ?? row.query }
  if (changed.name === row.name && changed.query === row.query) return row
  const updated_at = await databaseNow(tx)
  const [saved] = await store.changeSavedView(tx, row.id, { ...changed, updated_at })
  // It may have been deleted since it was read.
  if (saved === undefined) throw notFound('saved_view', publicId)
  return saved
}

/** Returns the last record. */
export const deleteSavedView = async (
  tx: Queryable,
  owner: store.ViewOwner,
  publicId: string,
): Promise<store.SavedViewRow> => {
  const row = await ownView(tx, owner, publicId)
  if ((await store.deleteSavedView(tx, row.id)) === 0) throw notFound('saved_view', publicId)
  return row
}

const ownView = async (
  tx: Queryable,
  owner: store.ViewOwner,
  publicId: string,
): Promise<store.SavedViewRow> => {
  const id = decodeId('viw', publicId)
  const row = id === undefined ? undefined : await store.savedViewById(tx, owner, id)
  if (row !== undefined) return row
  throw await notFoundOrIsolated(tx, owner.organization, 'viw', publicId)
}
