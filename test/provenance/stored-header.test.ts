/** Rows of history hold parts of what was hashed: the exact header and bodies are rebuilt. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import fc from 'fast-check'
import {
  type HistoryEvent,
  buildHistoryEvent,
  eventHeader,
  headerText,
} from '../../src/core/provenance/history-event.ts'
import { newId } from '../../src/database/new-ids.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { insertRows } from '../../src/database/table-writes.ts'
import { deleteEventBody } from '../../src/store/provenance/erasure.ts'
import { canonical } from '../../verifier/verify-bundle.mjs'
import { testDatabase } from '../support/database/postgres.ts'
import { storedHistory } from '../support/provenance/stored-history.ts'

const { url } = await testDatabase()
const db = await Connection.open(url, 'docex test')
after(() => db.close())

const slotNames = ['shared', 'issuer', 'counterparty'] as const

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
  slots: fc.record({ shared: slot, issuer: slot, counterparty: slot }),
  salts: fc.uint8Array({ minLength: 48, maxLength: 48 }),
  erased: fc.subarray([...slotNames]),
})

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** Formed from what was hashed, as the published format says. */
const expectedHeader = (
  { at, slots, salts }: { at: Date; slots: Record<string, object | null>; salts: Uint8Array },
  chain: { prev: string | null; seq: number; stream: string },
): string => {
  const commitments = slotNames.map((name, i) => {
    const salt = salts.subarray(i * 16, i * 16 + 16)
    return [name, sha256('svc-slot/1\n', salt, canonical(slots[name])).toString('hex')]
  })
  const c = Object.fromEntries(commitments)
  return canonical({ at: at.toISOString(), c, ...chain, v: 'svc-event/1' })
}

test('provenance 1.3: every stored event has its exact header, with or without its bodies', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anEvent, { minLength: 1, maxLength: 5 }), async (inputs) => {
      const id = newId()
      const stream = sha256(id).toString('hex')
      const events: HistoryEvent[] = []
      const headers: string[] = []
      for (const [seq, { at, slots, salts }] of inputs.entries()) {
        const hash = events.at(-1)?.hash ?? null
        const chain = { prev: hash?.toString('hex') ?? null, seq: seq + 1, stream }
        headers.push(expectedHeader({ at, slots, salts }, chain))
        events.push(
          buildHistoryEvent(
            stream,
            { seq, hash },
            at.toISOString(),
            slots,
            Buffer.from(salts),
            Buffer.alloc(32),
          ),
        )
      }
      await insertRows(
        db,
        'prov_event',
        events.map((event) => ({ document_id: id, ...event })),
      )
      for (const [i, { erased }] of inputs.entries()) {
        for (const name of erased) await deleteEventBody(db, { id, seq: i + 1, slot: name })
      }
      const rows = await storedHistory(db, sql`e.document_id = ${id}`)
      assert.equal(rows.length, inputs.length)
      for (const [i, row] of rows.entries()) {
        const { slots, erased } = inputs[i]!
        const header = headerText(eventHeader(row, stream, rows[i - 1]?.hash ?? null))
        assert.equal(header, headers[i])
        assert.deepEqual(row.hash, sha256(Buffer.of(0), header))
        for (const name of slotNames) {
          const expected = erased.includes(name) ? null : canonical(slots[name])
          assert.equal(row[`${name}_body`], expected)
        }
      }
    }),
    { numRuns: 100 },
  ))
