/** Refusals teach: they name what is wrong, and what to send instead (contract 1 and 2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixFor } from '../../src/http/validation/schema-hints.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../support/api-client.ts'
import { aDraft, aKey, aPair, exampleLine } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer } = pair

const exampleId = (prefix: string) => `${prefix}_01kbm9s346q3d25vt4f5v37e3s`
const document_id = exampleId('doc')
const terms = { principal: 80, fee: { type: 'bps', value: 250 }, grace_days: 7 }
const listings = '/v1/finance/listings'
const offers = `${listings}/${exampleId('lst')}/offers`

type Case = readonly [method: string, path: string, body: object, ...problems: string[]]

const refuses = ([method, path, body, ...problems]: Case): void => {
  test(`${method} ${path} ${problems.join(', ')}`, async () => {
    const isAdmin = /organization|webhooks|connections|keys/.test(path)
    const key = isAdmin ? issuer.session : issuer.key
    assertProblems(await callApi(running, method, path, { key, body }), ...problems)
  })
}

describe('contract 2: a body that its schema accepts is checked for what a schema cannot say', () => {
  const fee = (type: string, value: number) => ({ ...terms, fee: { type, value } })
  const listed = (of: object) => ({ document_id, terms: of })
  const lender = (max_principal: number) => ({ lender: { enabled: true, max_principal } })
  const cases: readonly Case[] = [
    ['PUT', '/v1/finance/setup', lender(-5), '/lender/max_principal out_of_range'],
    ['PUT', '/v1/finance/setup', lender(5.123), '/lender/max_principal too_precise'],
    ['POST', listings, listed(fee('bps', 10_001)), '/terms/fee/value out_of_range'],
    ['POST', listings, listed(fee('flat', 0.001)), '/terms/fee/value too_precise'],
    ['POST', listings, listed({ ...terms, principal: 0 }), '/terms/principal out_of_range'],
    ['POST', offers, { kind: 'counter' }, '/terms required'],
    ['POST', offers, { kind: 'at_ask', terms }, '/terms invalid_value'],
    [
      'POST',
      '/v1/sandbox/demo/listings',
      { terms: fee('bps', 1.5) },
      '/terms/fee/value out_of_range',
    ],
    ['PATCH', '/v1/organization', { profile: { vat_id: 'X' } }, '/profile/vat_id invalid_value'],
    [
      'PATCH',
      '/v1/organization',
      { profile: { bank: { iban: 'DE00' }, time_zone: 'Mars/Base' } },
      '/profile/bank/iban invalid_value',
      '/profile/time_zone invalid_value',
    ],
  ]
  for (const one of cases) refuses(one)
})

describe('contract 1: a field of the created record that the service sets is read-only', () => {
  const email = 'orders@harbour-cafe.example'
  const cases: readonly Case[] = [
    ['POST', '/v1/connections', { email, status: 'active' }, '/status read_only'],
    ['POST', listings, { document_id, terms, status: 'open' }, '/status read_only'],
    [
      'POST',
      listings,
      { document_id, terms: { ...terms, fee_amount: 1 } },
      '/terms/fee_amount read_only',
    ],
    ['POST', offers, { kind: 'at_ask', status: 'open' }, '/status read_only'],
    ['POST', '/v1/webhooks', { url: 'https://example.com', secret: 'x' }, '/secret read_only'],
  ]
  for (const one of cases) refuses(one)
})

describe('contract 2: a refusal says what to do instead', () => {
  test('a scope that is missing, and a session', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const body = {
      connection_id: pair.connection,
      document_type: 'quote',
      line_items: [exampleLine],
    }
    const write = await callApi(running, 'POST', '/v1/documents', { key: secret, body })
    assertRefused(write, 'insufficient_scope')
    assert.match(write.body.error.message, /documents:write: send a key that has it/)
    const read = await callApi(running, 'GET', '/v1/requests', { key: secret })
    assertRefused(read, 'insufficient_scope')
    assert.match(
      read.body.error.message,
      /admin_session: send the session token .*\/auth\/sessions/,
    )
  })

  test('a field without a description, in one sentence', async () => {
    const options = { key: issuer.session, body: { profile: { legal_name: '' } } }
    const blank = await callApi(running, 'PATCH', '/v1/organization', options)
    const [{ fix }] = blank.body.error.details.errors
    assert.equal(fix, 'send a text without line breaks and tabs.')
  })

  test('a parameter that is a field of the rows, and no filter', async () => {
    const { key } = issuer
    const payable = await callApi(running, 'GET', '/v1/documents?payable=true', { key })
    assertProblems(payable, 'payable unknown_field')
    const [{ fix }] = payable.body.error.details.errors
    assert.match(fix, /^read it in the rows, or use limit, cursor/)
  })

  test('a filter that is an operator of the search, or has another name here', async () => {
    const { key } = issuer
    for (const [given, fix] of [
      ['overdue=true', 'send query=is:overdue'],
      ['number=INV-000001', 'send query=number:INV-000001'],
      ['total=5', 'send query=total:>1000'],
      ['customer=Ada', 'send query=party:NAME, or connection with the id of the connection'],
      ['q=oak', 'send query'],
      ['date_from=2026-01-01', 'send since'],
      ['date_to=2026-01-01', 'send until'],
      ['due_before=2026-01-01', 'send due_to'],
      ['page=2', 'send cursor'],
    ]) {
      const refused = await callApi(running, 'GET', `/v1/documents?${given}`, { key })
      const name = given!.split('=')[0]
      assertProblems(refused, `${name} unknown_field`)
      assert.equal(refused.body.error.details.errors[0].fix, fix)
    }
    const search = await callApi(running, 'GET', '/v1/search?query=oak', { key })
    assertProblems(search, 'q required', 'query unknown_field')
    assert.equal(search.body.error.details.errors[1].fix, 'send q')
  })

  test('the discount of the terms, which no payment takes', async () => {
    const { id } = await aDraft(running, pair)
    const body = { early_payment: true }
    const refused = await callApi(running, 'POST', `/v1/documents/${id}/pay`, {
      key: pair.counterparty.key,
      body,
    })
    assertProblems(refused, '/early_payment unknown_field')
    assert.match(refused.body.error.details.errors[0].fix, /with a credit note/)
  })

  test('the id of a document, where several records have one', async () => {
    const body = { id: 'doc_1', to: 'approved' }
    const refused = await callApi(running, 'POST', '/v1/sandbox/demo/transitions', {
      key: issuer.key,
      body,
    })
    assertProblems(refused, '/document_id required', '/id unknown_field')
    assert.equal(refused.body.error.details.errors[1].fix, 'send document_id')
  })

  test('an older revision, a move of a connection, and a list without entries', async () => {
    const { id } = await aDraft(running, pair)
    const headers = { 'if-match': '"9"' }
    const options = { key: issuer.key, headers, body: { notes: 'x' } }
    const stale = await callApi(running, 'PATCH', `/v1/documents/${id}`, options)
    assertRefused(stale, 'precondition_failed')
    assert.match(stale.body.error.message, /read it again, and send its ETag/)
    const path = `/v1/connections/${pair.connection}/accept`
    const moved = await callApi(running, 'POST', path, { key: issuer.session })
    assertRefused(moved, 'conflict', 'illegal_transition')
    assert.match(moved.body.error.message, /only to ended/)
    const noLines = { key: issuer.key, body: { line_items: [] } }
    const empty = await callApi(running, 'PATCH', `/v1/documents/${id}`, noLines)
    assert.match(empty.body.error.message, /at least 1 entry\./)
  })
})

describe('contract 2: a name of another program is answered with the fields of this one', () => {
  test('in a line, on a document, and where the service sets a field of that name', async () => {
    const names = {
      name: 'x',
      qty: 1,
      price: 5,
      VAT: 0.2,
      taxPercent: 20,
      discount: 10,
      item_code: 'A',
      discount_percent: 10,
      total: 1,
    }
    const body = {
      connection_id: pair.connection,
      type: 'invoice',
      lines: [],
      customer: 'x',
      terms: '',
      counterparty: 'x',
      discount: 5,
      line_items: [names],
    }
    const reply = await callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })
    const line = '/line_items/0'
    const problems = assertProblems(
      reply,
      '/document_type required',
      '/type unknown_field',
      '/lines unknown_field',
      '/customer unknown_field',
      '/terms unknown_field',
      '/counterparty read_only',
      '/discount unknown_field',
      ...['description', 'quantity', 'unit_price', 'tax_rate'].map(
        (name) => `${line}/${name} required`,
      ),
      ...['name', 'qty', 'price', 'VAT', 'taxPercent', 'item_code', 'discount_percent'].map(
        (name) => `${line}/${name} unknown_field`,
      ),
      `${line}/discount read_only`,
      `${line}/total read_only`,
    )
    const fixes = Object.fromEntries(
      problems
        .filter(({ code }) => code !== 'required')
        .map(({ param, fix }) => [param.replace(line, 'line'), fix]),
    )
    assert.deepEqual(fixes, {
      '/type': 'send document_type',
      '/lines': 'send line_items',
      '/customer': 'send connection_id',
      '/terms': 'send payment_terms',
      '/counterparty': 'send connection_id instead',
      '/discount': 'set line_items[].discount_type and discount_value',
      'line/name': 'send description',
      'line/qty': 'send quantity',
      'line/price': 'send unit_price',
      'line/VAT': 'send tax_rate',
      'line/taxPercent': 'send tax_rate',
      'line/item_code': 'send sku',
      'line/discount': 'send discount_type and discount_value instead',
      'line/discount_percent': 'send discount_type and discount_value',
      'line/total': 'leave total out',
    })
  })
})

describe('contract 2: a refusal tells only what is known', () => {
  const bodies: readonly [path: string, body: object][] = [
    ['/auth/setup', {}],
    ['/auth/setup', { email: 'ada' }],
    ['/auth/links', { email: 'ada' }],
    ['/auth/passkeys/sign-in/verify', { passkey: {} }],
    ['/auth/passkeys/sign-in/verify', { passkey: { id: 'a b', response: { transports: 1 } } }],
    [`/v1/documents/${document_id}/transition`, { source_account_id: 'acct_test_ok' }],
  ]
  for (const [path, body] of bodies) {
    test(`POST ${path} ${JSON.stringify(body)}`, async () => {
      const reply = await callApi(running, 'POST', path, { key: issuer.key, body })
      assertRefused(reply, 'invalid_request')
      assert.doesNotMatch(reply.text, /undefined/)
    })
  }

  test('every field of every request is described by what its schema has', () => {
    for (const { id, query, body } of operations) {
      for (const schema of schemasIn([query, body])) {
        assert.doesNotMatch(fixFor(schema), /undefined/, `${id}: ${JSON.stringify(schema)}`)
      }
    }
  })
})

const schemasIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(schemasIn)]
    : []
