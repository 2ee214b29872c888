/** The published verifier checks long proofs in a thread of its own, so that nobody waits. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { encodeId } from '../../src/core/ids.ts'
import { newId } from '../../src/database/new-ids.ts'
import { openProofChecks } from '../../src/threads/proof-checks.ts'
import { type Failure, readTrust } from '../../verifier/verify-bundle.mjs'
import {
  SyntheticLog,
  anInvoiceHistory,
  origin,
  signingKeyOf,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'

const proofs = openProofChecks()
after(() => proofs.stop())

const trust = readTrust({ origin, keys: [signingKeyOf('key', origin).vkey] })
const requester = { organization: encodeId('org', newId()) }

const bundleOf = (notes: number): string => {
  const note = (i: number) => ({
    at: `2026-11-21T02:00:00.${String(i).padStart(3, '0')}Z`,
    slots: { shared: null, issuer: null, counterparty: { type: 'internal.noted', note: `${i}` } },
  })
  const document = syntheticDocument([
    ...anInvoiceHistory(),
    ...Array.from({ length: notes }, (_, i) => note(i)),
  ])
  return syntheticBundle(document, new SyntheticLog().add(...document.events), {
    role: 'counterparty',
  })
}
const [short, long] = [bundleOf(0), bundleOf(150)]

/** How often others have their turn while the proof is checked. */
const turnsDuring = async (text: string): Promise<number> => {
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await proofs.check(requester, { kind: 'bundle', text, trust })
  clearImmediate(next)
  return turns
}

test('others have their turns while a long proof is checked', async () => {
  assert(short.length < limits.proofCheckedAtOnceMaxLength)
  assert(long.length > limits.proofCheckedAtOnceMaxLength)
  assert.equal(await turnsDuring(short), 0)
  const turns = await turnsDuring(long)
  assert(turns > 10, `${turns} turns`)
})

test('a proof that does not hold fails with the check and the place, long or short', async () => {
  for (const text of [short, long]) {
    const changed = text.replace('"note":"ask for 2 %"', '"note":"ask for 3 %"')
    assert.notEqual(changed, text)
    await assert.rejects(
      proofs.check(requester, { kind: 'bundle', text: changed, trust }),
      ({ name, check, seq, slot }: Failure) => {
        assert.deepEqual([name, check, seq, slot], ['Failure', 'COMMITMENT', 3, 'counterparty'])
        return true
      },
    )
  }
})
