/** The examples in the doc comments of the SDK, which editors show, pass the strict type check. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { typescriptComplaints } from '../../test/support/contract/example-programs.ts'

/** What examples take as given. */
const given = `
import type { Docex } from 'docex'
declare global {
  const docex: Docex
  const id: string, userId: string, attachmentId: string, deliveryId: string, requestId: string
  const key: string, seq: number, since: string, after: string
  const content: Uint8Array<ArrayBuffer>, signal: AbortSignal
}
`

/** The lines behind `@example`, up to the next tag or the end of the comment. */
const examplesIn = (source: string): string[] =>
  [...source.matchAll(/^ *\* @example\n((?: *\* (?!@).*\n)+)/gm)].map(([, lines]) =>
    lines!.replaceAll(/^ *\* /gm, ''),
  )

test('every example in a doc comment passes the strict type check', async () => {
  const files = globSync(resolve(import.meta.dirname, '../src/**/*.ts'))
  const sources = files.map((file) => readFileSync(file, 'utf8'))
  const examples = sources.flatMap(examplesIn)
  const tags = sources.join('').match(/@example/g)!
  assert.equal(examples.length, tags.length, 'each has lines')
  assert.equal(await typescriptComplaints([given, ...examples]), '')
  const wrong = 'await docex.documents.get(id).total'
  assert.match(await typescriptComplaints([given, wrong]), /example-1\.ts\(1,\d+\): error TS2339/)
})
