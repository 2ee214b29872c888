/** Filters that the signed-in person has named (contract 12). */
import type { Call } from '../../context.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  SavedView,
  SavedViewCreate,
  SavedViewFilters,
  SavedViewPage,
  SavedViewUpdate,
} from '../../contract/shapes/saved-views.ts'
import {
  createSavedView,
  deleteSavedView,
  updateSavedView,
} from '../../changes/identity/saved-views.ts'
import { encodeId } from '../../core/ids.ts'
import {
  type SavedViewRow,
  type ViewOwner,
  savedViewsOf,
} from '../../store/identity/saved-views.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'

const toView = ({ id, name, list: shown, query, created_at, updated_at }: SavedViewRow) => ({
  id: encodeId('viw', id),
  name,
  list: shown as SavedView['list'],
  query,
  created_at,
  updated_at,
})

const ownerOf = ({ organization, credential }: Call): ViewOwner => ({
  user: credential.user!.id,
  organization: organization.id,
})

const viewDefaults = { since: '1.16.0', allowed: 'session' } as const

export const list = operation({
  ...viewDefaults,
  id: 'saved_views.list',
  method: 'GET',
  path: '/v1/saved_views',
  summary: 'List your saved views, newest first',
  query: SavedViewFilters,
  response: SavedViewPage,
  summaryFields: ['id', 'name', 'list', 'query'],
}).reads(async (call, { query }) => {
  const owner = ownerOf(call)
  const page = openPage(call, 'saved_views', { ...query, user: owner.user })
  const rows = await savedViewsOf(call.read, owner, page)
  return { body: page.of(rows, toView, ({ id }) => id) }
})

export const create = operation({
  ...viewDefaults,
  id: 'saved_views.create',
  method: 'POST',
  path: '/v1/saved_views',
  summary: 'Save a view',
  description: 'Only you see it, and only for this organization.',
  body: SavedViewCreate,
  response: SavedView,
  status: 201,
}).transacts(async (tx, call, { body }) => {
  const view = toView(await createSavedView(tx, ownerOf(call), body))
  return { body: view, resourceId: view.id }
})

export const update = operation({
  ...viewDefaults,
  id: 'saved_views.update',
  method: 'PATCH',
  path: '/v1/saved_views/{id}',
  summary: 'Change a saved view',
  body: SavedViewUpdate,
  response: SavedView,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params, body }) => ({
  body: toView(await updateSavedView(tx, ownerOf(call), params.id, body)),
  resourceId: params.id,
}))

export const remove = operation({
  ...viewDefaults,
  id: 'saved_views.delete',
  method: 'DELETE',
  path: '/v1/saved_views/{id}',
  summary: 'Delete a saved view',
  description: 'Returns the last record.',
  body: NoBody,
  response: SavedView,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params }) => ({
  body: toView(await deleteSavedView(tx, ownerOf(call), params.id)),
  resourceId: params.id,
}))
