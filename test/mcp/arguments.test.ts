/** contract 9: the arguments of a tool, as clients fill them in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, aPair, exampleLine } from '../support/fixtures.ts'
import { callTool, connectMcp } from '../support/mcp/clients.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)

test('an argument that may be left out may be null, which is as if it were left out', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const { body: draft } = await callTool(client, 'documents_create', {
    connection_id: pair.connection,
    document_type: 'invoice',
    line_items: [exampleLine],
    idempotency_key: freshIdempotencyKey(),
  })
  const without = await callTool(client, 'documents_list', {})
  const nulls = { cursor: null, status: null, query: null, fields: null, limit: null }
  assert.equal((await callTool(client, 'documents_list', nulls)).text, without.text)
  const comments = await callTool(client, 'documents_comments_list', { id: draft.id, limit: null })
  assert.equal(comments.isError, false, comments.text)
  const change = { id: draft.id, notes: null, if_match: null, dry_run: null }
  const call = { ...change, idempotency_key: freshIdempotencyKey() }
  const changed = await callTool(client, 'documents_update', call)
  assert.equal(changed.isError, false, changed.text)
  assert.equal(changed.meta['svc-dry-run'], undefined)
  const misspelt = await callTool(client, 'documents_list', { stauts: null })
  assert.match(misspelt.body.error.message, /Did you mean status/)
})

test('a write takes the revision of a record as if_match, and a malformed key is named as its argument', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const draft = await aDraft(running, pair)
  const update = (more: object) =>
    callTool(client, 'documents_update', { id: draft.id, notes: 'By the stairs', ...more })
  const stale = { if_match: draft.revision + 1, idempotency_key: freshIdempotencyKey() }
  assert.equal((await update(stale)).body.error.code, 'precondition_failed')
  for (const if_match of [draft.revision, `${draft.revision}`]) {
    const call = { if_match, dry_run: true, idempotency_key: freshIdempotencyKey() }
    assert.equal((await update(call)).isError, false)
  }
  for (const key of ['short', 'with spaces in it', 'k'.repeat(129)]) {
    const [problem] = (await update({ idempotency_key: key })).body.error.details.errors
    assert.equal(problem.param, 'idempotency_key')
  }
})

test('a malformed argument that becomes a header is named as the argument', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const draft = await aDraft(running, pair)
  const write = { id: draft.id, notes: 'By the stairs', idempotency_key: freshIdempotencyKey() }
  const calls: [tool: string, name: string, values: Record<string, unknown>][] = [
    ['documents_update', 'if_match', { ...write, if_match: 'the first' }],
    ['documents_update', 'dry_run', { ...write, dry_run: 'perhaps' }],
    ['stream', 'last_event_id', { last_event_id: 'the first' }],
  ]
  for (const [tool, name, values] of calls) {
    const { isError, text, body } = await callTool(client, tool, values)
    assert.equal(isError, true)
    assert.deepEqual(
      body.error.details.errors.map(({ param }: { param: string }) => param),
      [name],
    )
    assert.doesNotMatch(text, /If-Match|Svc-Dry-Run|Last-Event-ID|header/)
  }
})

test('beside an argument that is missing, unknown ones are named with what was probably meant', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  const draft = await aDraft(running, pair)
  const problemsOf = async (tool: string, values: Record<string, unknown>) => {
    const { isError, body } = await callTool(client, tool, values)
    assert.equal(isError, true)
    return body.error.details.errors as { param: string; message: string; fix: string }[]
  }
  const [missing, unknown, ...none] = await problemsOf('documents_get', { document_id: draft.id })
  assert.deepEqual([missing?.param, unknown?.param, none], ['id', 'document_id', []])
  assert.equal(unknown!.message, 'There is no such argument here. Did you mean id?')
  const update = { id: draft.id, idempotencyKey: freshIdempotencyKey(), memo: 'A', zzz: 1 }
  const problems = await problemsOf('documents_update', update)
  assert.deepEqual(
    problems.map(({ param, fix }) => [param, fix.split(' ').slice(0, 2).join(' ')]),
    [
      ['idempotency_key', 'send a'],
      ['idempotencyKey', 'send idempotency_key'],
      ['memo', 'send notes'],
      ['zzz', 'use id,'],
    ],
  )
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`document_${i}`, i]))
  assert.equal((await problemsOf('documents_get', many)).length, 50)
})

test('contract 2: a number that overflows is refused, and makes no key without a limit', async () => {
  const keys = await callApi(running, 'GET', '/v1/keys?limit=100', { key: pair.issuer.session })
  for (const limit of ['1e999', '-1e999']) {
    const values = `{"name":"A","scopes":["payments:write"],"payment_limits":{"max_per_payment":${limit}},"idempotency_key":"${freshIdempotencyKey()}"}`
    const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keys_create","arguments":${values}}}`
    const headers = { accept: 'application/json, text/event-stream' }
    const reply = await callApi(running, 'POST', '/mcp', { key: pair.issuer.session, raw, headers })
    assert.deepEqual([reply.status, reply.body.error.code], [400, -32_700], reply.text)
  }
  const after = await callApi(running, 'GET', '/v1/keys?limit=100', { key: pair.issuer.session })
  assert.equal(after.body.data.length, keys.body.data.length)
})

const asRaw = (name: string, values: string, more = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${values}${more}}}`

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The refusal of a call, in both eras. */
const refusalsOf = async (name: string, values: string) => {
  const { key } = pair.issuer
  const accept = 'application/json, text/event-stream'
  const legacy = await callApi(running, 'POST', '/mcp', {
    key,
    raw: asRaw(name, values),
    headers: { accept },
  })
  const modern = await callApi(running, 'POST', '/mcp', {
    key,
    raw: asRaw(name, values, `,"_meta":${JSON.stringify(envelope)}`),
    headers: {
      accept,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  })
  return [legacy, modern].map(({ text }) => {
    const { result } = JSON.parse(text.replace(/^event: message\ndata: /, ''))
    assert.equal(result?.isError, true, text.slice(0, 500))
    return JSON.parse(result.content[0].text).error
  })
}

test('contract 2: __proto__ is refused among the arguments, in both eras', async () => {
  for (const [name, values] of [
    ['documents_list', '{"__proto__":{"limit":1}}'],
    ['documents_list', '{"__pr\\u006fto__":1}'],
    ['documents_create', `{"__proto__":{},"idempotency_key":"${freshIdempotencyKey()}"}`],
  ] as const) {
    for (const { code, details } of await refusalsOf(name, values)) {
      assert.deepEqual([code, details.errors[0].param], ['invalid_request', '/__proto__'])
    }
  }
  const headers = { accept: 'application/json, text/event-stream' }
  const raw = `[${asRaw('me_get', '{}')},${asRaw('documents_list', '{"__proto__":1}')}]`
  const batch = await callApi(running, 'POST', '/mcp', { key: pair.issuer.key, raw, headers })
  assert.deepEqual([batch.status, batch.body.error.code], [400, -32_700])
  assert.match(batch.body.error.message, /^Parse error: \/1\/params\/arguments\/__proto__: /)
})

test('contract 2: half a surrogate pair in an id is no id', async () => {
  for (const { code } of await refusalsOf('documents_get', '{"id":"doc_\\ud800"}')) {
    assert.equal(code, 'not_found')
  }
})

test('contract 2: arguments for the URL are at most as long as a request over HTTP has them', async () => {
  const words = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => `a${i}`))
  const bodyOfUpdate = `"idempotency_key":"long-id-1","notes":"${'y'.repeat(10_000)}"`
  for (const [name, param, value] of [
    ['documents_get', 'id', `"${'x'.repeat(500_000)}"`],
    ['documents_list', 'status', words],
    ['documents_list', 'fields', words],
    ['documents_list', 'zzz', words],
    ['documents_update', 'id', `"${'x'.repeat(9_000)}",${bodyOfUpdate}`],
  ] as const) {
    for (const { code, details } of await refusalsOf(name, `{"${param}":${value}}`)) {
      const [problem] = details.errors
      assert.deepEqual([code, problem.param, problem.code], ['invalid_request', param, 'too_long'])
    }
  }
})

test('contract 2: a message has at most as many keys as a body, besides its envelope', async () => {
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i])))
  const headers = { accept: 'application/json, text/event-stream' }
  const raw = asRaw('documents_issue', many(100_000))
  const reply = await callApi(running, 'POST', '/mcp', { key: pair.issuer.key, raw, headers })
  assert.deepEqual([reply.status, reply.body.error.code], [400, -32_700])
  assert.match(reply.body.error.message, /more than 5100 keys in one/)
  for (const { code } of await refusalsOf('documents_issue', many(5_000))) {
    assert.equal(code, 'invalid_request')
  }
})

test('contract 2: a key that appears twice is refused as over HTTP, in both eras', async () => {
  const { key } = pair.issuer
  const fields = `"connection_id":"${pair.connection}","document_type":"invoice"`
  const lines = '"line_items":[{"description":"A","quantity":1,"unit_price":1,"unit_price":9}]'
  const overHttp = await callApi(running, 'POST', '/v1/documents', {
    key,
    raw: `{${fields},${lines}}`,
  })
  assert.equal(overHttp.body.error.details.errors[0].param, '/line_items/0/unit_price')
  const values = `{${fields},${lines},"idempotency_key":"${freshIdempotencyKey()}"}`
  for (const { code, message, details } of await refusalsOf('documents_create', values)) {
    const { error } = overHttp.body
    assert.deepEqual([code, message, details], [error.code, error.message, error.details])
  }
})

test('a key that appears twice outside of the arguments of an operation is no message', async () => {
  const { key } = pair.issuer
  const headers = { accept: 'application/json, text/event-stream' }
  for (const [raw, where] of [
    [asRaw('me_get', '{}').replace('"id":1', '"id":1,"id":2'), '/id'],
    [asRaw('me_get', '{}').replace('"name":', '"name":"documents_list","name":'), '/params/name'],
    [`[${asRaw('documents_get', '{"id":"a","i\\u0064":"b"}')}]`, '/0/params/arguments/id'],
    [asRaw('tools_explain', '{"name":"a","name" :"b"}'), '/params/arguments/name'],
    ...['null', '5', '{"arguments":{}}'].map((params) => [
      asRaw('me_get', '{"a":1,"a":2}').replace(/}$/, `,"params":${params}}`),
      '/params/arguments/a',
    ]),
  ]) {
    const reply = await callApi(running, 'POST', '/mcp', { key, raw: raw!, headers })
    const { code, message } = reply.body.error
    assert.deepEqual([reply.status, code], [400, -32_700], reply.text)
    assert.match(message, new RegExp(`^Parse error: ${where}: The key .* appears twice`))
  }
})

test('what looks like a key inside of a text is none', async () => {
  const client = await connectMcp(running, pair.issuer.key)
  for (const notes of ['":', '\\":', '{"a":1,"a":2}', ': " :', '\\\\" :']) {
    const made = await callTool(client, 'documents_create', {
      connection_id: pair.connection,
      document_type: 'invoice',
      line_items: [exampleLine],
      notes,
      idempotency_key: freshIdempotencyKey(),
    })
    assert.equal(made.body.notes, notes, made.text)
  }
})
