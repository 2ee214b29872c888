/**
 * Lists as files, made while they are sent. Every page is read as the list reads it, in a turn of
 * the heavy reads; between two pages a download holds neither a connection nor a turn of those.
 */
import type { Call } from '../context.ts'
import { invalidRequest } from '../contract/errors.ts'
import { interopLimits } from '../contract/interop-limits.ts'
import { csvRow } from '../core/interop/csv.ts'
import { type Columns, recordRow } from '../core/interop/record-csv.ts'
import type { Reply } from './operation.ts'
import { StreamedText } from './reply-bodies.ts'

export interface DownloadedPage<Position> {
  records: readonly unknown[]
  /** Where the next page starts; null when there is none. */
  next: Position | null
}

export interface DownloadedList<Position> {
  filename: string
  columns: Columns
  /** The number of rows, counted up to a maximum. */
  count(call: Call, max: number): Promise<number>
  /** Undefined: the first page. */
  pageAfter(call: Call, position: Position | undefined): Promise<DownloadedPage<Position>>
}

export const csvDownload = <Position>(
  call: Call,
  list: DownloadedList<Position>,
): Reply<string> => ({
  body: new StreamedText(csvPieces(call, list)),
  headers: fileHeaders('text/csv; charset=utf-8', list.filename),
})

export const fileHeaders = (mediaType: string, filename: string): Record<string, string> => ({
  'Content-Type': mediaType,
  'Content-Disposition': `attachment; filename="${filename}"`,
})

async function* csvPieces<Position>(
  call: Call,
  { columns, count, pageAfter }: DownloadedList<Position>,
): AsyncGenerator<string, void, undefined> {
  await inHeavyTurn(call, (by) => checkCount(by, count))
  let head = csvRow(columns)
  let position: Position | undefined
  for (;;) {
    const after = position
    const { records, next } = await inHeavyTurn(call, (by) => pageAfter(by, after))
    yield head + records.map((record) => recordRow(record, columns)).join('')
    if (next === null) return
    head = ''
    position = next
  }
}

export const inHeavyTurn = <T>(call: Call, work: (by: Call) => Promise<T>): Promise<T> =>
  call.context.database.perform('heavy', call.requester, ({ read, pages }) =>
    work({ ...call, read, pages }),
  )

const manyRows = {
  param: 'since',
  message: `A file has at most ${interopLimits.downloadMaxRows} rows, and more match these filters.`,
  fix: 'narrow the filters, for example with since and until, and download one part after the other',
}

export const checkCount = async (
  call: Call,
  count: DownloadedList<unknown>['count'],
  refusal = manyRows,
): Promise<void> => {
  const max = interopLimits.downloadMaxRows
  if ((await count(call, max + 1)) > max) throw invalidRequest({ ...refusal, code: 'out_of_range' })
}
