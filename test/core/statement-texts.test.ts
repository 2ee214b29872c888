/** The texts of a statement, as CSV and as camt.053. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRow } from '../../src/core/interop/csv.ts'
import { camt053Entry, camt053Start } from '../../src/core/payments/camt053.ts'

test('contract 12: a hostile name stays text in both formats', () => {
  const names = ['=cmd|x', '<script>&"', 'a\u0000\u0008b', '\ud800', ']]>']
  for (const name of names) {
    const statement = {
      messageId: 'req_1',
      createdAt: '2026-11-21T00:00:00.000Z',
      accountId: 'acct_1',
      accountName: name,
      owner: name,
      currency: 'USD',
      from: '2026-11-21',
      to: '2026-11-21',
      opening: 0n,
      closing: -5n,
    }
    const entry = {
      id: 'ttx_1',
      type: 'payment_out',
      amount: -5n,
      bookedAt: '2026-11-21T00:00:00.000Z',
      paymentId: null,
      reference: name,
      documentNumber: name,
      otherParty: name,
    }
    const xml = camt053Start(statement) + camt053Entry(entry, 'USD')
    assert(!xml.includes('<script>') && !xml.includes(']]>') && xml.isWellFormed(), xml)
    // oxlint-disable-next-line no-control-regex -- the characters that XML excludes
    assert.doesNotMatch(xml, /[\u0000-\u0008]/)
  }
  assert.equal(csvRow(['=cmd|x', '-5.00']), "'=cmd|x,-5.00\r\n")
})

test('a cell with the separator of other spreadsheets is quoted, so that none divides it', () => {
  assert.equal(csvRow(['Bolts; M8', 'a\tb', '2', 'a b']), '"Bolts; M8","a\tb",2,a b\r\n')
})

test('a name that is too long for camt.053 ends with a whole character', () => {
  const entry = {
    id: 'ttx_1',
    type: 'payment_in',
    amount: 5n,
    bookedAt: '2026-11-21T00:00:00.000Z',
    paymentId: null,
    reference: null,
    documentNumber: null,
    otherParty: `A${'𠮷'.repeat(150)}`,
  }
  assert.match(camt053Entry(entry, 'USD'), /<Nm>A(?:&#134071;){139}<\/Nm>/)
})
