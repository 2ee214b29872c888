/** A list as a whole, page by page, as far as one reads it. */
import { type Query, call } from './call.ts'
import type { Page } from './types.ts'

interface Reading {
  signal: AbortSignal
  /** Of 100 rows each. Default 10. */
  pagesMost?: number | undefined
}

export const allRows = async <Row>(path: string, query: Query, reading: Reading) => {
  const { signal, pagesMost = 10 } = reading
  const rows: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMost; pages += 1) {
    const options = { query: { ...query, limit: 100, cursor }, signal }
    const page = await call<Page<Row>>('GET', path, options)
    rows.push(...page.data)
    if (page.next_cursor === null) return { rows, isCut: false }
    cursor = page.next_cursor
  }
  return { rows, isCut: true }
}
