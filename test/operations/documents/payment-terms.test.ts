/** Payment terms over HTTP (specification 2.1, domain 3.5, contract 11 and 12). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import { aPair, exampleLine } from '../../support/fixtures.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'
import { inDays } from '../../support/dates.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { issuer, counterparty, connection } = await aPair(running)

const write = (method: string, path: string, body: object = {}, headers = {}) =>
  callApi(running, method, path, { key: issuer.key, body, headers })

const create = (more: object, headers = {}) =>
  write(
    'POST',
    '/v1/documents',
    { connection_id: connection, document_type: 'invoice', line_items: [exampleLine], ...more },
    headers,
  )

const dryRun = { 'svc-dry-run': 'true' }
const contradictory = { payment_terms: '2/40 net 30', document_date: '2026-01-31' }

describe('contract 11 and 12: warnings of a dry run', () => {
  test('a discount period longer than net is kept, and only a dry run warns', async () => {
    const { status, body, text } = await create(contradictory)
    assert.equal(status, 201, text)
    const { payment_terms, due_date, net_days, early_payment } = body
    assert.deepEqual(
      [payment_terms, due_date, net_days, early_payment],
      ['2/40 net 30', null, null, null],
    )
    assert(!('warnings' in body), 'warnings exist in dry runs only')
    const dry = await create(contradictory, dryRun)
    assert.equal(dry.status, 200, dry.text)
    const [warning, ...others] = dry.body.warnings
    assert.deepEqual([warning.param, warning.code], ['/payment_terms', 'early_period_too_long'])
    assert.match(warning.message, /40 days .* 30 days/)
    assert.deepEqual(others, [])
  })

  test('free text is warned about when it is set, when it is edited and when it is issued', async () => {
    const { body } = await create({ payment_terms: 'Payable on delivery' })
    const path = `/v1/documents/${body.id}`
    for (const dry of [
      await create({ payment_terms: 'Payable on delivery' }, dryRun),
      await write('PATCH', path, { notes: 'Soon.' }, dryRun),
      await write('POST', `${path}/issue`, {}, dryRun),
    ]) {
      assert.equal(dry.status, 200, dry.text)
      const codes = dry.body.warnings.map(({ code }: { code: string }) => code)
      assert.deepEqual(codes, ['no_due_date'])
    }
    const read = await callApi(running, 'GET', path, { key: issuer.key })
    assert(!('warnings' in read.body))
  })

  test('terms that name a date, and a type without due date, have no warnings', async () => {
    for (const more of [
      { payment_terms: '30 Tage netto' },
      { payment_terms: 'Payable on delivery', document_type: 'quote' },
      { payment_terms: null },
    ]) {
      const dry = await create(more, dryRun)
      assert.deepEqual(dry.body.warnings, [], dry.text)
    }
    const { body } = await create({ payment_terms: 'Payable on delivery' })
    await write('POST', `/v1/documents/${body.id}/issue`)
    const moved = await callApi(running, 'POST', `/v1/documents/${body.id}/transition`, {
      key: counterparty.key,
      body: { to: 'approved' },
      headers: dryRun,
    })
    assert.deepEqual(moved.body.warnings, [], 'the other side cannot change the terms')
  })
})

describe('specification 2.1: the missing date half is derived', () => {
  for (const [payment_terms, due] of [
    ['Net-30', '2026-03-02'],
    ['15 EOM', '2026-02-15'],
    ['Due upon receipt', '2026-01-31'],
    ['zahlbar bis 2026-03-01', '2026-03-01'],
    ['30 jours fin de mois', '2026-03-02'],
    ['al recibir la factura', '2026-01-31'],
  ] as const) {
    test(`${payment_terms} is stored as sent and due on ${due}`, async () => {
      const { body, text } = await create({ payment_terms, document_date: '2026-01-31' })
      assert.deepEqual([body.payment_terms, body.due_date], [payment_terms, due], text)
    })
  }

  test('a date before the document date is refused (domain 3.5)', async () => {
    for (const payment_terms of ['by 2026-01-30', 'due on 2026-01-30', 'fällig am 2026-01-30']) {
      const refused = await create({ payment_terms, document_date: '2026-01-31' })
      assertProblems(refused, '/payment_terms out_of_range')
    }
  })
})

describe('dates by the clock of the organization', async () => {
  const { provisionSandbox, send, get } = sandboxClient(running)
  const { key, connection: practice } = await provisionSandbox()
  const draft = (payment_terms: string) =>
    send(key, '/v1/documents', {
      connection_id: practice,
      document_type: 'invoice',
      line_items: [exampleLine],
      payment_terms,
    })

  test('specification 2.1: an invoice without a due date is never overdue', async () => {
    const dated = await draft('netto 30 Tage')
    const undated = await draft('Payable on delivery')
    const named = await draft(`by ${inDays(5)}`)
    for (const { id } of [dated, undated]) await send(key, `/v1/documents/${id}/issue`)
    await send(key, '/v1/sandbox/clock', { advance_by: 'P400D' })
    const overdue = async ({ id }: { id: string }) =>
      (await get(key, `/v1/documents/${id}`)).body.overdue
    assert.deepEqual([await overdue(dated), await overdue(undated)], [true, false])

    // Contract 11: a date in the terms that has passed by the time of issue.
    const path = `/v1/documents/${named.id}`
    const refused = await callApi(running, 'POST', `${path}/issue`, { key })
    assert.equal(assertRefused(refused, 'conflict').reason, 'terms_date_past')
    assert.match(refused.body.error.message, /PATCH/)
    const body = { payment_terms: 'sofort fällig' }
    assert.equal((await callApi(running, 'PATCH', path, { key, body })).status, 200)
    await send(key, `${path}/issue`)
  })
})

test('the refusal of a document date names both ends of what may be sent', async () => {
  const last = inDays(3653)
  for (const document_date of ['1999-12-31', '2100-01-01']) {
    const [problem] = assertProblems(await create({ document_date }), '/document_date out_of_range')
    assert.match(problem!.fix!, /^send a date from 2000-01-01 to 20\d\d-/)
  }
  assert.equal((await create({ document_date: last, payment_terms: null })).status, 201)
})

test('contract 11: an earlier document date leaves at most 366 days to a stated due date', async () => {
  for (const terms of [
    { due_date: '2027-02-01' },
    { due_date: '2027-02-01', payment_terms: 'Payable on delivery' },
    { payment_terms: 'Due 2027-02-01' },
  ]) {
    const { body } = await create({ document_date: '2026-01-31', ...terms })
    const edit = (more: object) => write('PATCH', `/v1/documents/${body.id}`, more)
    const early = { document_date: '2026-01-30' }
    const [problem] = assertProblems(await edit(early), '/document_date out_of_range')
    assert.match(problem!.message, /more than 366 days/)
    const later = await edit({ document_date: '2026-02-01' })
    assert.deepEqual([later.status, later.body.net_days], [200, 365])
    const both = await edit({ ...early, payment_terms: 'Net 366' })
    assert.deepEqual([both.status, both.body.due_date], [200, '2027-01-31'])
  }
})
