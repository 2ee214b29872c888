/** A recovery that one call does not cover says so, and large numbers are grouped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountText } from '../../console/src/webhooks/recovered-text.ts'

const cases: readonly [scheduled: number, next_since: string | null, text: string][] = [
  [1, null, '1 event'],
  [9_999, null, '9,999 events'],
  [10_000, '2026-11-28T23:40:05.000Z', 'the first 10,000 events'],
]

for (const [scheduled, next_since, text] of cases)
  test(`${scheduled} ${next_since === null ? 'of all' : 'before others'} are ${text}`, () => {
    assert.equal(amountText({ scheduled, next_since }), text)
  })
