/** Rows of history hold parts of what was hashed: the exact header and bodies are rebuilt. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import {
  type HistoryEvent,
  buildHistoryEvent,
  headerText,
  slotNames,
  storedSalts,
} from '../../src/core/provenance/history-event.ts'
import { newId } from '../../src/database/new-ids.ts'
import type { Rows } from '../../src/database/rows.ts'
import { sql } from '../../src/database/sql.ts'
import { insertRows } from '../../src/database/table-writes.ts'
import { openedEvents } from '../../src/core/provenance/history-verification.ts'
import { keepRemains } from '../../src/store/provenance/erasure.ts'
import { canonical } from '../../verifier/verify-bundle.mjs'
import { testDatabase } from '../support/database/postgres.ts'
import { storedHistory } from '../support/provenance/stored-history.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const { url } = await testDatabase()
const db = await openTestConnection(url)
after(() => db.close())

const erasable = ['shared', 'issuer', 'counterparty'] as const

const slot = fc.option(
  fc.record(
    {
      type: fc.constantFrom('document.created', 'document.issued', 'payment.settled'),
      set: fc.dictionary(
        fc.string(),
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger()),
      ),
    },
    { requiredKeys: [] },
  ),
)
const anEvent = fc.record({
  at: fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
  slots: fc.record({ shared: slot, issuer: slot, counterparty: slot, finance: fc.constant(null) }),
  seed: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  erased: fc.subarray([...erasable]),
})

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** Formed from what was hashed, as the published format says. */
const expectedHeader = (
  { at, slots, seed }: { at: Date; slots: Record<string, object | null>; seed: Uint8Array },
  chain: { prev: string | null; seq: number; stream: string },
): string => {
  const salts = createHash('sha512').update('svc-salts/1\n').update(seed).digest()
  const commitments = slotNames.map((name, i) => {
    const salt = salts.subarray(i * 16, i * 16 + 16)
    return [name, sha256('svc-slot/1\n', salt, canonical(slots[name])).toString('hex')]
  })
  const c = Object.fromEntries(commitments)
  return canonical({ at: at.toISOString(), c, ...chain, v: 'svc-event/2' })
}

const commitmentsIn = (header: string): Buffer => {
  const { c } = JSON.parse(header) as { c: Record<string, string> }
  return Buffer.from(slotNames.map((name) => c[name]).join(''), 'hex')
}

const withoutErased = (salts: Buffer, erased: readonly (typeof slotNames)[number][]): Buffer => {
  const kept = Buffer.from(salts)
  for (const name of erased) {
    const at = slotNames.indexOf(name) * 16
    kept.fill(0, at, at + 16)
  }
  return kept
}

test('provenance 1.3: every stored event has its exact header, with or without its bodies', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anEvent, { minLength: 1, maxLength: 5 }), async (inputs) => {
      const id = newId()
      const stream = sha256(id).toString('hex')
      const events: HistoryEvent[] = []
      const headers: string[] = []
      for (const [seq, { at, slots, seed }] of inputs.entries()) {
        const hash = events.at(-1)?.hash ?? null
        const chain = { prev: hash?.toString('hex') ?? null, seq: seq + 1, stream }
        headers.push(expectedHeader({ at, slots, seed }, chain))
        events.push(
          buildHistoryEvent({
            stream,
            previous: { seq, hash },
            at: at.toISOString(),
            slots,
            saltSeed: Buffer.from(seed),
            macKey: Buffer.alloc(32),
          }),
        )
      }
      await insertRows(
        db,
        'prov_event',
        events.map((event) => ({ document_id: id, ...event })),
      )
      const before = await db.rows<Rows['prov_event']>(
        sql`select * from prov_event where document_id = ${id} order by seq`,
      )
      const remains = before.map((row, i) => ({
        ...row,
        commitments: commitmentsIn(headers[i]!),
        salts: withoutErased(storedSalts(row.salts)!, inputs[i]!.erased),
        ...Object.fromEntries(inputs[i]!.erased.map((name) => [`${name}_body`, null])),
      }))
      await keepRemains(db, remains)
      const rows = await storedHistory(db, sql`e.document_id = ${id}`)
      assert.equal(rows.length, inputs.length)
      const kept = await db.rows<Rows['prov_event']>(
        sql`select * from prov_event where document_id = ${id} order by seq`,
      )
      for (const stored of [before, kept]) {
        const opened = [...openedEvents(stored, stream, () => true, canonical)]
        assert.deepEqual(
          opened.map(({ header }) => headerText(header)),
          headers,
        )
      }
      for (const [i, row] of rows.entries()) {
        const { slots, erased } = inputs[i]!
        const header = headers[i]!
        assert.deepEqual(row.hash, sha256(Buffer.of(0), header))
        for (const name of erasable) {
          const isEmpty = erased.includes(name) || slots[name] === null
          const expected = isEmpty ? null : canonical(slots[name])
          assert.equal(row[`${name}_body`], expected)
        }
      }
    }),
    { numRuns: 100 },
  ))
