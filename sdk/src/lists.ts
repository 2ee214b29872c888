/** Lists: one page, page by page, or row by row. */
import { ApiPromise, type ApiResponse } from './api-promise.ts'
import type { Client } from './client.ts'
import type { ReadOptions } from './request.ts'

interface PageBody<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

type ReadPage<T> = (cursor: string | undefined) => ApiPromise<PageBody<T>>

export class Page<T> implements PageBody<T> {
  readonly data: T[]
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly #read: ReadPage<T>

  constructor({ data, has_more, next_cursor }: PageBody<T>, read: ReadPage<T>) {
    this.data = data
    this.has_more = has_more
    this.next_cursor = next_cursor
    this.#read = read
  }

  /** The next page; undefined after the last one. */
  async next(): Promise<Page<T> | undefined> {
    if (this.next_cursor === null) return undefined
    return new Page(await this.#read(this.next_cursor), this.#read)
  }
}

/** Awaited, the first page; iterated, every row of all pages. */
export class ListPromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
  constructor(read: ReadPage<T>) {
    const first = async (): Promise<ApiResponse<Page<T>>> => {
      const response = await read(undefined).withResponse()
      return { ...response, data: new Page(response.data, read) }
    }
    super(first())
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page: Page<T> | undefined = await this; page; page = await page.next()) yield page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }

  /** The first rows, at most `limit` (default 10,000). */
  async toArray({ limit = 10_000 }: { limit?: number | undefined } = {}): Promise<T[]> {
    const rows: T[] = []
    for await (const row of this) if (rows.push(row) >= limit) break
    return rows.slice(0, limit)
  }
}

export const list = <T>(
  client: Client,
  path: string,
  query: object | undefined,
  options: ReadOptions | undefined,
): ListPromise<T> =>
  new ListPromise((cursor) =>
    client.json(
      { method: 'GET', path, query: cursor === undefined ? query : { ...query, cursor } },
      options,
    ),
  )
