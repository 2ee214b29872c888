/** Ids in paths: one of another form names nothing, so it is missing like any other (404). */
import { notFound } from '../contract/errors.ts'
import { type IdPrefix, decodeId, resourceOfPrefix } from '../core/ids.ts'

export const uuidOrNotFound = (prefix: IdPrefix, shown: string): string => {
  const id = decodeId(prefix, shown)
  if (id === undefined) throw notFound(resourceOfPrefix[prefix], shown)
  return id
}
