/**
 * ETags and conditional headers (contract 1, RFC 9110 13.1). The ETag of a document is its
 * revision, the same for both viewers. If-Match compares strongly: a weak tag never matches;
 * If-None-Match compares weakly. `*` matches any.
 */

export const etagOf = ({ revision }: { revision: number }): string => `"${revision}"`

const etagPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"|\*/g

/** The tags in a header; undefined when it is not a list of ETags. */
const etagsIn = (header: string): string[] | undefined => {
  const tags = header.match(etagPattern)
  const isList = /^[\s,]*$/.test(header.replaceAll(etagPattern, ','))
  return tags !== null && isList ? tags : undefined
}

export const isEtagList = (header: string): boolean => etagsIn(header) !== undefined

/** The comparison of If-Match. */
export const matchesStrongly = (header: string, etag: string): boolean =>
  etagsIn(header)?.some((tag) => tag === '*' || tag === etag) ?? false

/** The comparison of If-None-Match. */
export const matchesWeakly = (header: string, etag: string): boolean =>
  etagsIn(header)?.some((tag) => tag === '*' || tag.replace('W/', '') === etag) ?? false
