/** Domain 7: the encodings and forms of files that are read, and what others are answered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Problem } from '../../../src/contract/problem.ts'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

const line = { description: 'Wool', quantity: 2, unit_price: 19.99, tax_rate: 0.21 }
const invoice = await anInvoice(running, pair, {
  ...{ line_items: [line, { ...line, description: 'Silk, fine', quantity: 1 }] },
  notes: 'Delivered.',
})
const ubl = await exportOf(running, pair, invoice, 'ubl')

const problemOf = async (file: string | Uint8Array): Promise<Problem & { fix: string }> => {
  const reply = await importFile(running, pair, file)
  return assertRefused(reply, 'invalid_request').errors[0]
}

describe('domain 7: a file is read in the encoding that it declares', { concurrency: 8 }, () => {
  const umlauts = ubl.replace('Delivered.', 'Geprüft, für später.')
  const declares = (name: string) => umlauts.replace('"UTF-8"', `"${name}"`)
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const readable: Readonly<Record<string, Uint8Array>> = {
    'UTF-8 with a mark': Buffer.from(`\uFEFF${umlauts}`),
    'ISO-8859-1': Buffer.from(declares('ISO-8859-1'), 'latin1'),
    'ISO-8859-15': Buffer.from(declares('iso-8859-15'), 'latin1'),
    'Windows-1252': Buffer.from(declares('windows-1252'), 'latin1'),
    'UTF-16 with a mark': utf16(`\uFEFF${declares('UTF-16')}`),
    'UTF-16 with a mark, big-endian': utf16(`\uFEFF${declares('UTF-16')}`).swap16(),
    'UTF-16 without a mark': utf16(declares('UTF-16')),
  }
  for (const [name, bytes] of Object.entries(readable)) {
    test(`XML in ${name}`, async () => {
      const { body, text } = await importFile(running, pair, bytes, { 'svc-dry-run': 'true' })
      assert.match(body.notes ?? text, /Geprüft, für später\.$/)
    })
  }

  const refused: Readonly<Record<string, [Uint8Array, message: RegExp, fix: RegExp]>> = {
    'XML in an encoding that is not read': [
      Buffer.from(declares('KOI8-R'), 'latin1'),
      ...([/encoding KOI8-R, which is not read/, /in UTF-8/] as const),
    ],
    'XML that declares UTF-16, and is not': [
      Buffer.from(declares('utf-16')),
      ...([/encoding utf-16, and its bytes are not/, /in UTF-8/] as const),
    ],
    'XML in ISO-8859-1 that declares UTF-8': [
      Buffer.from(umlauts, 'latin1'),
      ...([/read as UTF-8/, /encoding="ISO-8859-1"/] as const),
    ],
    'a CSV in ISO-8859-1': [Buffer.from('ü', 'latin1'), /nor a CSV in UTF-8/, /CSV UTF-8/],
    'a workbook': [Buffer.from('504b0304ff', 'hex'), /workbook/, /CSV UTF-8/],
    JSON: [Buffer.from('{"line_items":[]}'), /^Is JSON/, /POST \/v1\/documents/],
  }
  for (const [name, [bytes, message, fix]] of Object.entries(refused)) {
    test(`${name} is refused, with what to send instead`, async () => {
      const problem = await problemOf(bytes)
      assert.match(problem.message, message)
      assert.match(problem.fix, fix)
    })
  }
})
