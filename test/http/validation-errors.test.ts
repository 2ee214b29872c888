/** A refusal lists every problem at once, each with a fix (contract 2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { aDraft, exampleLine, anInvoice, move } from '../support/fixtures.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty, connection } = await startTradingPair()

const create = (body: unknown): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents', { key: issuer.key, body })

const anyBody = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }

/** The fix of the problem at this param. */
const fixOf = (reply: Reply, param: string): string => {
  const problems = reply.body.error.details.errors as { param: string; fix: string }[]
  const problem = problems.find((candidate) => candidate.param === param)
  assert(problem, reply.text)
  return problem.fix
}

test('problems of the schema and of the domain are listed together', async () => {
  const reply = await create({
    ...anyBody,
    curency: 'USD',
    due_date: '2020-01-01',
    line_items: [
      { quantity: 1, unit_price: 10, tax_rate: 19 },
      {
        ...exampleLine,
        unit_price: '9',
        quantity: 0.1234567,
        discount_type: 'fixed',
        discount_value: 5,
      },
    ],
  })
  assertProblems(
    reply,
    '/curency unknown_field',
    '/due_date out_of_range',
    '/line_items/0/description required',
    '/line_items/0/tax_rate out_of_range',
    '/line_items/1/unit_price wrong_type',
    '/line_items/1/quantity too_precise',
  )
  assert.equal(fixOf(reply, '/line_items/0/tax_rate'), 'send 0.19 for 19 %')
})

test('a check that depends on a refused field is skipped', async () => {
  assertProblems(
    await create({ ...anyBody, document_type: 'bill', due_date: '2020-01-01', line_items: [5] }),
    '/document_type invalid_value',
    '/line_items/0 wrong_type',
  )
  assertProblems(
    await create({ ...anyBody, document_date: 'soon', due_date: '2020-01-01', payment_terms: 5 }),
    '/document_date invalid_value',
    '/payment_terms wrong_type',
  )
})

test('a refused key lists its range, limit and expiry together with the missing name', async () => {
  const reply = await callApi(running, 'POST', '/v1/keys', {
    key: issuer.session,
    body: {
      scopes: ['documents:read'],
      allowed_cidrs: ['203.0.113.0/33', 7],
      payment_limits: { max_per_payment: -1 },
      expires_at: '2020-01-01T00:00:00Z',
    },
  })
  assertProblems(
    reply,
    '/allowed_cidrs/0 invalid_value',
    '/allowed_cidrs/1 wrong_type',
    '/expires_at out_of_range',
    '/name required',
    '/payment_limits invalid_value',
    '/payment_limits/max_per_payment out_of_range',
  )
})

test('a fix gives the values, an example or the form to send', async () => {
  const empty = await create({})
  assert.match(fixOf(empty, '/document_type'), /^send one of invoice, credit_note, /)
  assert.match(fixOf(empty, '/connection_id'), /^send an id like con_/)
  assert.match(fixOf(empty, '/line_items'), /^send a list of objects with description, quantity, /)
  assert.match(fixOf(await create([]), ''), /^send an object with connection_id, document_type, /)
  const { id } = await aDraft(running, pair)
  const nowhere = await move(running, issuer.key, id, undefined as never)
  assert.match(fixOf(nowhere, '/to'), /^send one of draft, submitted, /)
  const sweep = await callApi(running, 'GET', '/v1/documents?updated_since=yesterday', {
    key: issuer.key,
  })
  assert.match(fixOf(sweep, 'updated_since'), /^send a date like \d.*, or a timestamp with Z or /)
})

/** Blanks, line breaks and characters without width. */
const blankTexts = [' ', ' \t\r\n', '\u00a0\u3000\u2028', '\u200b\u2060\u00ad\ufeff', '\u0301']

test('a required text of blanks alone is refused with the name of its field', async () => {
  const post = (path: string, key: string, body: unknown) =>
    callApi(running, 'POST', path, { key, body })
  const draft = await aDraft(running, pair)
  for (const text of blankTexts) {
    const shown = JSON.stringify(text)
    const line_items = [exampleLine, { ...exampleLine, description: text }]
    const edited = { key: issuer.key, body: { line_items } }
    for (const reply of [
      await create({ ...anyBody, line_items }),
      await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, edited),
    ]) {
      const [problem] = assertProblems(reply, '/line_items/1/description invalid_value')
      assert.equal(problem!.message, 'Must not be blank.', shown)
      assert.equal(
        problem!.fix,
        'send a text of 1 to 1000 characters. The goods or services of the line.',
      )
    }
    for (const field of ['external_refs', 'metadata']) {
      assertProblems(
        await create({ ...anyBody, [field]: { [text]: 'x' } }),
        `/${field}/${text} invalid_value`,
      )
    }
    const key = { name: text, scopes: ['documents:read'] }
    assertProblems(await post('/v1/keys', issuer.session, key), '/name invalid_value')
    const sandbox = await post('/v1/sandboxes', issuer.session, { name: text })
    assertProblems(sandbox, '/name invalid_value')
    const demo = { document_type: 'invoice', scenario: text }
    assertProblems(
      await post('/v1/sandbox/demo/documents', issuer.key, demo),
      '/scenario invalid_value',
    )
    const terms = { organization_id: counterparty.id, default_payment_terms: text }
    if (text.trim() !== '') continue
    assertProblems(
      await create({ ...anyBody, payment_terms: text }),
      '/payment_terms invalid_value',
    )
    assertProblems(
      await post('/v1/connections', issuer.session, terms),
      '/default_payment_terms invalid_value',
    )
  }
})

test('texts are stored as sent, with outer blanks, line breaks, symbols and emoji', async () => {
  for (const description of ['  two\n\tlines ', '—', '🪵', '½', '材']) {
    const { status, text, body } = await create({
      ...anyBody,
      line_items: [{ ...exampleLine, description }],
      external_refs: { '🪵': ' ' },
      notes: ' ',
    })
    assert.equal(status, 201, text)
    assert.equal(body.line_items[0].description, description)
    assert.deepEqual([body.external_refs, body.notes], [{ '🪵': ' ' }, ' '])
  }
})

test('the length of a text counts characters, not code units or bytes', async () => {
  const described = (description: string) =>
    create({ ...anyBody, line_items: [{ ...exampleLine, description }] })
  assert.equal((await described('🪵'.repeat(1_000))).status, 201)
  assertProblems(await described('🪵'.repeat(1_001)), '/line_items/0/description too_long')
})

test('the fix of a malformed e-mail address shows an example', async () => {
  const options = { key: issuer.session, body: { email: 'nobody' } }
  const reply = await callApi(running, 'POST', '/v1/connections', options)
  assertProblems(reply, '/email invalid_value')
  assert.match(fixOf(reply, '/email'), /^send an e-mail address like orders@/)
})

test('only types that can be created are suggested', async () => {
  const reply = await create({ ...anyBody, document_type: 'receipt_slip' })
  assertProblems(reply, '/document_type invalid_value')
  assert.match(fixOf(reply, '/document_type'), /^send one of invoice, [a-z_, ]*, statement\. /)
  assert.doesNotMatch(fixOf(reply, '/document_type'), / (agreement|disbursement|repayment)[,.]/)
  assert.match(
    fixOf(reply, '/document_type'),
    /come from POST \/v1\/finance\/offers\/\{id\}\/accept/,
  )
})

test('a value that is nearly the only one is corrected with it once', async () => {
  const { body } = await callApi(running, 'GET', '/v1/documents?sort=updatd', issuer)
  assert.equal(body.error.details.errors[0].fix, 'send updated')
})

test('an unknown query parameter gets the suggestion of a known one', async () => {
  const reply = await callApi(running, 'GET', '/v1/documents?document_type=invoice', {
    key: issuer.key,
  })
  const [problem] = assertProblems(reply, 'document_type unknown_field')
  assert.equal(problem!.message, 'There is no such parameter here. Did you mean type?')
})

test('contract 2: the message of a refusal names what its first problem is about once', async () => {
  const messageOf = async (request: Promise<Reply>) => {
    const reply = await request
    assertRefused(reply, 'invalid_request')
    return reply.body.error.message
  }
  const post = (raw: string) => callApi(running, 'POST', '/v1/documents', { key: issuer.key, raw })
  assert.equal(await messageOf(create([])), 'The body must be an object.')
  assert.match(await messageOf(post('{"a":}')), /^The body is not valid JSON: /)
  assert.equal(
    await messageOf(create({ ...anyBody, line_items: [{ ...exampleLine, quantity: 'two' }] })),
    '/line_items/0/quantity: Must be a number.',
  )
  assert.equal(
    await messageOf(create({ ...anyBody, connection_id: undefined })),
    '/connection_id: This field is required.',
  )
  const misspelt = callApi(running, 'GET', '/v1/documents?stauts=approved', { key: issuer.key })
  assert.equal(
    await messageOf(misspelt),
    'stauts: There is no such parameter here. Did you mean status?',
  )
})

test('a transition of a draft to its issued state is refused with a pointer to POST /issue', async () => {
  const { id } = await aDraft(running, pair)
  const refused = assertRefused(await move(running, issuer.key, id, 'submitted'), 'conflict')
  assert.deepEqual(refused['allowed'], ['cancelled'])
  const reply = await move(running, issuer.key, id, 'submitted')
  assert(reply.body.error.message.includes(`POST /v1/documents/${id}/issue`), reply.text)
  const invoice = await anInvoice(running, pair)
  const other = await move(running, counterparty.key, invoice.id, 'cancelled')
  assert.doesNotMatch(other.body.error.message, /issue makes/)
})

test('a missing record named in a body is reported with its param', async () => {
  const nowhere = `con_${'0'.repeat(26)}`
  const reply = await create({ ...anyBody, connection_id: nowhere })
  assert.deepEqual(assertRefused(reply, 'not_found'), {
    resource: 'connection',
    id: nowhere,
    param: '/connection_id',
  })
  const document_id = `doc_${'0'.repeat(26)}`
  const references = [{ rel: 'relates_to', document_id }]
  assert.deepEqual(assertRefused(await create({ ...anyBody, references }), 'not_found'), {
    resource: 'document',
    id: document_id,
    param: '/references/0/document_id',
  })
})

test('a wrong method and a trailing slash are refused with what to use instead', async () => {
  const messageOf = async (method: string, path: string): Promise<string> =>
    (await callApi(running, method, path, { key: issuer.key })).body.error.message
  assert.equal(
    await messageOf('DELETE', '/v1/documents'),
    'DELETE is not a method of /v1/documents: use GET, HEAD or POST.',
  )
  assert.equal(
    await messageOf('GET', '/v1/documents/'),
    "The path ends before the document's id. Remove the last slash to get the list.",
  )
  assert.match(
    await messageOf('GET', '/v1/me/'),
    /^There is no path \/v1\/me\/\. Paths end without/,
  )
})
