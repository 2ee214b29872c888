/** Contract 12: the statement of an account, as CSV and as camt.053. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { checkCount } from '../../../src/operations/downloads.ts'
import { callApi } from '../../support/api-client.ts'
import { aPair, anOrganization } from '../../support/fixtures.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { parsedCsv } from '../../support/interop/parsed-csv.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { asSuperuser } from '../../support/provenance/row-tampering.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const today = new Date().toISOString().slice(0, 10)
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const get = (path: string, key: string) => callApi(running, 'GET', path, { key })

const accountOf = async (key: string, currency = 'USD'): Promise<string> => {
  const accounts = await allPages(running, key, '/v1/treasury/accounts?limit=100')
  const found = accounts.find((one) => one['currency'] === currency && one['is_default'] === true)
  return String(found!['id'])
}

interface Period {
  format?: string
  from?: string
  to?: string
}

const statementPath = (
  account: string,
  { format = 'csv', from = daysAgo(9), to = today }: Period = {},
) => `/v1/treasury/accounts/${account}/statement?format=${format}&from=${from}&to=${to}`

/** A pair of which one side has paid the other some bills, and its account. */
const aPayer = async (payments: number) => {
  const pair = await aPair(running)
  for (let i = 1; i <= payments; i += 1) {
    const unit_price = Math.round(1_000 + Math.random() * 10_000) / 100
    const line_items = [{ description: 'Oak', quantity: i, unit_price, tax_rate: 0 }]
    const { id } = await anApprovedInvoice(running, pair, { line_items })
    assert.equal((await pay(running, pair.counterparty.key, id)).status, 200)
  }
  const { key } = pair.counterparty
  return { pair, key, account: await accountOf(key) }
}

const cents = (amount: string | undefined): bigint => BigInt(amount!.replace('.', ''))

/** The opening balance, the entries and the closing balance add up row by row. */
const assertAddsUp = (text: string) => {
  const rows = parsedCsv(text)
  const [opening, closing] = [rows[0]!, rows.at(-1)!]
  const entries = rows.slice(1, -1)
  assert.deepEqual([opening['type'], closing['type']], ['opening_balance', 'closing_balance'])
  let balance = cents(opening['running_balance'])
  for (const entry of entries) {
    balance += cents(entry['amount'])
    assert.equal(cents(entry['running_balance']), balance)
  }
  assert.equal(cents(closing['running_balance']), balance)
  return { opening, entries, closing }
}

const balanceAsOf = async (key: string, account: string, as_of: string): Promise<string> => {
  const { body } = await get(`/v1/treasury/balances?account=${account}&as_of=${as_of}`, key)
  return body.data.length === 0 ? '0.00' : body.data[0].posted.toFixed(2)
}

describe('contract 12: treasury.statement', () => {
  test('has the transactions of the list, and the balances as of its days', async () => {
    const { key, account } = await aPayer(7)
    const list = await allPages(
      running,
      key,
      `/v1/treasury/transactions?account=${account}&limit=100`,
    )
    for (const [from, to] of [
      [daysAgo(9), today],
      [today, today],
      [daysAgo(9), daysAgo(2)],
    ] as const) {
      const reply = await get(statementPath(account, { from, to }), key)
      assert.equal(reply.status, 200, reply.text)
      const { opening, entries, closing } = assertAddsUp(reply.text)
      const inPeriod = list.filter(({ effective_at, status }) => {
        const day = String(effective_at).slice(0, 10)
        return status === 'posted' && from <= day && day <= to
      })
      assert.deepEqual(
        entries.map(({ id }) => id),
        inPeriod.toReversed().map(({ id }) => id),
      )
      const before = new Date(Date.parse(from) - 1).toISOString()
      assert.equal(opening['running_balance'], await balanceAsOf(key, account, before))
      assert.equal(closing['running_balance'], await balanceAsOf(key, account, to))
    }
  })

  test('names the number that the caller knows, and is a file', async () => {
    const { key, account } = await aPayer(1)
    const { text, headers } = await get(statementPath(account), key)
    assert.match(text, /,BILL-000001,/)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    const name = `statement-settlement-USD-${daysAgo(9)}-${today}`
    assert.equal(headers.get('content-disposition'), `attachment; filename="${name}.csv"`)
    const xml = await get(statementPath(account, { format: 'camt053' }), key)
    assert.equal(xml.headers.get('content-type'), 'application/xml')
    assert.equal(xml.headers.get('content-disposition'), `attachment; filename="${name}.xml"`)
  })

  test('camt.053 says the same as CSV', async () => {
    const { key, account } = await aPayer(3)
    const csv = assertAddsUp((await get(statementPath(account), key)).text)
    const { text } = await get(statementPath(account, { format: 'camt053' }), key)
    assert.match(text, /xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"/)
    const entries = [
      ...text.matchAll(
        /<Ntry><NtryRef>(\w+)<\/NtryRef><Amt Ccy="USD">([\d.]+)<\/Amt><CdtDbtInd>(\w+)</g,
      ),
    ]
    assert.deepEqual(
      entries.map(([, id, amount, sign]) => [id, sign === 'DBIT' ? `-${amount}` : amount]),
      csv.entries.map(({ id, amount }) => [id, amount]),
    )
    const balances = [...text.matchAll(/<Cd>(OPBD|CLBD)<\/Cd>.*?<Amt Ccy="USD">([\d.]+)</g)]
    assert.deepEqual(
      balances.map(([, code, amount]) => [code, amount]),
      [
        ['OPBD', csv.opening['running_balance']],
        ['CLBD', csv.closing['running_balance']],
      ],
    )
  })

  test('camt.053 marks what reverses another entry, and nothing else', async () => {
    const { pair, key, account } = await aPayer(2)
    const { data } = (await get('/v1/payments?limit=1', key)).body
    const returned = await callApi(running, 'POST', `/v1/sandbox/payments/${data[0].id}/simulate`, {
      key,
      body: { outcome: 'return' },
    })
    assert.equal(returned.status, 200, returned.text)
    const payee = pair.issuer.key
    for (const [reader, own, sign, otherParty] of [
      [key, account, 'CRDT', 'Cdtr'],
      [payee, await accountOf(payee), 'DBIT', 'Dbtr'],
    ] as const) {
      const { text } = await get(statementPath(own, { format: 'camt053' }), reader)
      const reversals = text.split('\n').filter((line) => line.includes('<RvslInd>'))
      assert.equal(reversals.length, 1, text)
      const marked = `<CdtDbtInd>${sign}</CdtDbtInd><RvslInd>true</RvslInd><Sts>`
      // The roles stay those of the transfer that is reversed.
      assert(reversals[0]!.includes(`<RltdPties><${otherParty}>`))
      assert(reversals[0]!.includes(marked) && reversals[0]!.includes('<Cd>return</Cd>'))
    }
  })

  test('a period without postings has the same balance twice', async () => {
    const { key, account } = await aPayer(0)
    const to = daysAgo(3)
    const { entries, opening, closing } = assertAddsUp(
      (await get(statementPath(account, { to }), key)).text,
    )
    assert.equal(entries.length, 0)
    assert.deepEqual([opening['running_balance'], closing['running_balance']], ['0.00', '0.00'])
  })

  test('after a reset it begins with what the reset has funded', async () => {
    const { key, account } = await aPayer(2)
    const reset = await callApi(running, 'POST', '/v1/sandbox/reset', { key, body: {} })
    assert.equal(reset.status, 200, reset.text)
    const { entries } = assertAddsUp((await get(statementPath(account), key)).text)
    assert.deepEqual(
      entries.map(({ type }) => type),
      ['topup'],
    )
  })

  test('refuses periods that cannot be, and what is no parameter', async () => {
    const { key, account } = await aPayer(0)
    const tomorrow = daysAgo(-1)
    for (const [period, more] of [
      [{ to: tomorrow }, ''],
      [{ from: today, to: daysAgo(1) }, ''],
      [{ format: 'pdf' }, ''],
      [{ from: '2026-02-30' }, ''],
      [{}, '&fields=id'],
      [{}, '&sort=updated'],
      [{}, '&limit=5'],
    ] as const) {
      assertRefused(await get(statementPath(account, period) + more, key), 'invalid_request')
    }
    assertRefused(await get(`/v1/treasury/accounts/${account}/statement`, key), 'invalid_request')
  })

  test('an unknown account and that of another organization are not found', async () => {
    const { account } = await aPayer(0)
    const { key } = await anOrganization(running)
    const own = await accountOf(key)
    assertRefused(await get(statementPath(account), key), 'not_found')
    assertRefused(
      await get(statementPath(own.slice(0, -1) + (own.endsWith('0') ? '1' : '0')), key),
      'not_found',
    )
    assertRefused(await get(statementPath('acct_x'), key), 'not_found')
  })
})

describe('contract 12: a statement that does not add up is not given', () => {
  const hands: Readonly<Record<string, (posting: string) => string>> = {
    'moves another amount': (one) => `update ledger_tx set amount = amount - 1 where id = ${one}`,
    'has another balance': (one) =>
      `update ledger_tx set running_balance = running_balance + 1 where id = ${one}`,
    'is removed': (one) => `delete from ledger_entry where tx_id = ${one};
      delete from ledger_tx where id = ${one}`,
    'is on another day': (one) =>
      `update ledger_tx set resolved_at = resolved_at - interval '5 days' where id = ${one}`,
  }
  for (const [change, hand] of Object.entries(hands)) {
    for (const place of ['first', 'middle', 'last']) {
      test(`when the ${place} posting ${change}`, async () => {
        const { key, account } = await aPayer(3)
        const list = await allPages(
          running,
          key,
          `/v1/treasury/transactions?account=${account}&limit=100`,
        )
        const at = { first: list.length - 1, middle: 1, last: 0 }[place]!
        const posting = `'${decodeId('ttx', String(list[at]!['id']))}'`
        await asSuperuser(running.database, hand(posting))
        for (const format of ['csv', 'camt053']) {
          assertRefused(await get(statementPath(account, { format }), key), 'integrity_failure')
        }
      })
    }
  }
})

test('contract 12: a statement whose later page breaks is cut off, not ended', async () => {
  const { key, account } = await aPayer(0)
  const topup = { key, body: { currency: 'USD', amount: 1.5 } }
  for (let i = 0; i < 105; i += 1) {
    assert.equal((await callApi(running, 'POST', '/v1/sandbox/topup', topup)).status, 200)
  }
  const path = statementPath(account)
  assert.equal(assertAddsUp((await get(path, key)).text).entries.length, 106)
  const list = await allPages(
    running,
    key,
    `/v1/treasury/transactions?account=${account}&limit=100`,
  )
  const uuid = decodeId('ttx', String(list[1]!['id']))
  await asSuperuser(running.database, `update ledger_tx set amount = 1 where id = '${uuid}'`)
  await assert.rejects(get(path, key))
})

test('contract 12: more than 100,000 rows are refused before any is read', async () => {
  const call = {} as Parameters<typeof checkCount>[0]
  await checkCount(call, async (_, max) => Math.min(100_000, max))
  await assert.rejects(
    checkCount(call, async (_, max) => Math.min(250_000, max)),
    { code: 'invalid_request' },
  )
})
