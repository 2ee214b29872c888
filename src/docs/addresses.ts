/** Where pages and sections of the docs are: `#id` in a text leads to the page that has the id. */
import { type Docs, flattenSections, pagesOf } from './blocks.ts'

export const docsPath = '/v1/docs'

export const pagePath = (page: string): string => `${docsPath}/${page}`

/** The path of each id, with the fragment unless the id is that of a page. */
export type Addresses = ReadonlyMap<string, string>

const known = new WeakMap<Docs, Addresses>()

export const addressesOf = (docs: Docs): Addresses => {
  const before = known.get(docs)
  if (before !== undefined) return before
  const addresses = new Map<string, string>(
    flattenSections([...docs.front, ...docs.anchors]).map(({ id }) => [id, `${docsPath}#${id}`]),
  )
  for (const page of pagesOf(docs)) {
    addresses.set(page.id, pagePath(page.id))
    for (const { id } of flattenSections(page.sections ?? [])) {
      addresses.set(id, `${pagePath(page.id)}#${id}`)
    }
  }
  known.set(docs, addresses)
  return addresses
}
