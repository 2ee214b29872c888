/** Reads CSV as RFC 4180 defines it, apart from our own reader. */
import assert from 'node:assert/strict'

/** Each row by the names of the header. */
export const parsedCsv = (text: string): Record<string, string>[] => {
  assert(text.endsWith('\r\n'))
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === '\r\n') rows.push([])
  }
  const [header, ...records] = rows.slice(0, -1)
  return records.map((values) => {
    assert.equal(values.length, header!.length)
    return Object.fromEntries(header!.map((name, i) => [name, values[i]!]))
  })
}

const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
