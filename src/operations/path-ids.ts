/** Ids in paths: a malformed id is treated like an unknown one (404). */
import { notFound } from '../contract/errors.ts'
import { type IdPrefix, decodeId, resourceOfPrefix } from '../core/ids.ts'

export const uuidOrNotFound = (prefix: IdPrefix, publicId: string): string => {
  const id = decodeId(prefix, publicId)
  if (id === undefined) throw notFound(resourceOfPrefix[prefix], publicId)
  return id
}
