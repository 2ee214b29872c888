/** What the slot of one side may say: both verifiers and the third agree. Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '../support/provenance/independent-verifier/independent-verifier.ts'
import { logKey, trustPath } from '../support/provenance/mutated-bundles.ts'
import {
  type EventInput,
  SyntheticLog,
  anInvoiceHistory,
  origin,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import type { Role } from '../../verifier/verify-bundle.mjs'

/** The bundle of a side whose own slot sets something in the event after the issue. */
const withOwn = (role: Role, set: object): string => {
  const inputs: EventInput[] = anInvoiceHistory()
  inputs[2]!.slots[role] = { set }
  const document = syntheticDocument(inputs)
  return syntheticBundle(document, new SyntheticLog().add(...document.events), { role })
}

const trust = JSON.stringify({ origin, keys: [logKey.vkey] })

const checksOf = (bundles: readonly string[]): (string | undefined)[] => {
  const verdicts = verifyWithBoth(
    bundles.map((bundle) => [temporaryFile(bundle), '--trust', trustPath]),
  )
  return verdicts.map(({ check }, i) => {
    const third = verify(Buffer.from(bundles[i]!), { trust })
    assert.equal(third.check, check, 'the third verifier')
    return check
  })
}

test('FORMAT 5: a side’s own slot changes nothing that both sides share', () => {
  const lies = [{ total: '900.00' }, { status: 'paid' }, { notes: null }, { line_items: [] }]
  for (const role of ['issuer', 'counterparty'] as const) {
    const checks = checksOf(lies.map((lie) => withOwn(role, lie)))
    assert(
      checks.every((check) => check === 'REPLAY'),
      `${role} ${checks}`,
    )
  }
})

test('FORMAT 5: it has what is the side’s own, and the pledge that its debtor does not see', () => {
  const own: object[] = [
    { number: 'X-1' },
    { label: 'Bill' },
    { pledge: null },
    { constructor: 'a' },
  ]
  for (const role of ['issuer', 'counterparty'] as const) {
    const checks = checksOf(own.map((set) => withOwn(role, set)))
    assert(
      checks.every((check) => check === undefined),
      `${role} ${checks}`,
    )
  }
})
