/** clients.md 1: what the path, the families and the address of a caller leave of the tools. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Scope } from '../../src/contract/scopes.ts'
import { operations } from '../../src/operations/index.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKey, aPair, anOrganization } from '../support/fixtures.ts'
import { callTool, connectMcp, toolNames } from '../support/mcp/clients.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const running = await startTestService()
const owner = await anOrganization(running)
const paying: readonly Scope[] = ['documents:read', 'documents:write', 'payments:write']
const proxied = await running.startAnother({ TRUSTED_PROXIES: '127.0.0.1' })
const withoutFinance = await running.startAnother({ FAMILIES: 'documents,payments' })

/** A message of the revision 2026-07-28, as a client without the SDK sends it. */
const send = (at: typeof running, key: string, method: string, more: Record<string, string> = {}) =>
  callApi(at, 'POST', '/mcp', {
    key,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...(method === 'tools/call' ? { name: 'me_get', arguments: {} } : {}),
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-method': method,
      'mcp-protocol-version': '2026-07-28',
      ...more,
      ...(method === 'tools/call' ? { 'mcp-name': 'me_get' } : {}),
    },
  })

const toolsOf = async (path: string) =>
  (await (await connectMcp(running, owner.session, { path })).listTools()).tools

const namesOf = async (path: string) =>
  (await toolsOf(path)).map(({ name }) => name).filter((name) => name !== 'tools_explain')

const toolNamesOf = (isShown: (operation: (typeof operations)[number]) => boolean) =>
  operations
    .filter((one) => isVersioned(one) && one.allowed !== 'approver' && isShown(one))
    .map(({ id }) => id.replaceAll('.', '_'))

describe('the list of tools', () => {
  test('is of its caller: nobody else may be shown a stored one', async () => {
    const { status, body, text } = await send(running, owner.key, 'tools/list')
    assert.equal(status, 200, text)
    assert.equal(body.result.cacheScope, 'private')
  })

  test('has the shapes of responses under /mcp/x alone, one level deep', async () => {
    for (const path of ['', '/readonly']) {
      for (const { name, outputSchema } of await toolsOf(path)) {
        assert.equal(outputSchema, undefined, `${path}: ${name}`)
      }
    }
    for (const { name, outputSchema } of await toolsOf('/x/documents')) {
      if (name === 'tools_explain') continue
      const fields = Object.values(outputSchema!.properties ?? {})
      if (name === 'documents_get') assert(fields.length > 30, 'all fields of a document')
      for (const field of fields) {
        assert.deepEqual(
          Object.keys(field).filter((key) => key !== 'type'),
          [],
          name,
        )
      }
    }
  })
})

describe('a path', () => {
  test('/mcp/readonly has every read and no write', async () => {
    assert.deepEqual(
      await namesOf('/readonly'),
      toolNamesOf(({ method }) => method === 'GET'),
    )
  })

  test('/mcp/x/documents,payments has these toolsets and no other', async () => {
    assert.deepEqual(
      await namesOf('/x/documents,payments'),
      toolNamesOf(({ family }) => family === 'documents' || family === 'payments'),
    )
  })

  test('the toolsets sandbox and developer are what belongs to no family', async () => {
    const sandbox = await namesOf('/x/sandbox')
    const developer = await namesOf('/x/developer')
    assert(sandbox.includes('sandbox_clock_advance') && sandbox.includes('sandboxes_create'))
    assert(developer.includes('me_get') && developer.includes('idempotency_get'))
    assert.deepEqual(
      [...sandbox, ...developer].toSorted(),
      toolNamesOf(({ family }) => family === undefined).toSorted(),
    )
  })
})

test('clients.md 1: only the path narrows: what looks like a restriction elsewhere is refused', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const more = { accept: 'application/json, text/event-stream', ...headers }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    return callApi(running, 'POST', path, { key: owner.key, body: message, headers: more })
  }
  const refusals: [path: string, headers: Record<string, string>, param: string][] = [
    ['/mcp?readonly=1', {}, 'readonly'],
    ['/mcp?toolsets=documents', {}, 'toolsets'],
    ['/mcp/readonly?x=documents', {}, 'x'],
    ['/mcp/x/documents?read_only', {}, 'read_only'],
    ['/mcp', { 'X-MCP-Readonly': 'true' }, 'X-MCP-Readonly'],
    ['/mcp', { 'X-MCP-Toolsets': 'documents' }, 'X-MCP-Toolsets'],
    ['/mcp', { 'X-MCP-Tools': 'documents_list' }, 'X-MCP-Tools'],
  ]
  for (const [path, headers, param] of refusals) {
    const { status, text, body } = await ask(path, headers)
    assert.equal(status, 400, `${path} ${text}`)
    const [problem] = body.error.details.errors
    assert.equal(problem.param, param)
    assert.match(problem.fix, /\/mcp\/readonly.*\/mcp\/x\/documents,payments/)
  }
  assert.equal((await ask('/mcp?')).status, 200)
})

test('clients.md 1: what arguments ask for of a toolset that the path leaves out is refused', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const { secret } = await aKey(running, pair.counterparty, paying, { dailyVolume: 1_000_000n })
  const client = await connectMcp(running, secret, { path: '/x/documents' })
  const remedy = 'Connect to /mcp, or to /mcp/x/documents,payments.'
  for (const to of ['paid', 'payment_scheduled']) {
    const call = { id, to, idempotency_key: freshIdempotencyKey() }
    const { error } = (await callTool(client, 'documents_transition', call)).body
    assert.deepEqual([error.code, error.details.reason], ['forbidden', 'toolset'], to)
    assert(error.message.endsWith(remedy), error.message)
  }
  const { body } = await callTool(client, 'tools_explain', { name: 'documents_transition' })
  assert.deepEqual([body.offered, body.reason, body.remedy], [true, 'toolset', remedy])
  const proof = { id, format: 'pdf', proof: '1' }
  const { error } = (await callTool(client, 'documents_render', proof)).body
  assert.deepEqual([error.code, error.details.reason], ['forbidden', 'toolset'])
  const wider = await connectMcp(running, secret, { path: '/x/documents,payments' })
  const call = { id, to: 'paid', idempotency_key: freshIdempotencyKey() }
  assert.equal((await callTool(wider, 'documents_transition', call)).isError, false)
})

test('tools_explain leads on to a path that keeps what the connection has chosen', async () => {
  const remedyAt = async (path: string, name: string): Promise<string> => {
    const client = await connectMcp(running, owner.session, { path })
    return (await callTool(client, 'tools_explain', { name })).body.remedy
  }
  assert.equal(
    await remedyAt('/readonly/x/documents', 'payments_list'),
    'Connect to /mcp/readonly, or to /mcp/readonly/x/documents,payments.',
  )
  assert.equal(
    await remedyAt('/readonly/x/documents', 'documents_pay'),
    'Connect to /mcp/x/documents,payments instead of /mcp/readonly/x/documents.',
  )
  assert.equal(
    await remedyAt('/readonly', 'documents_pay'),
    'Connect to /mcp instead of /mcp/readonly.',
  )
})

test('tools_explain names the family that is switched off, and how it is switched on', async () => {
  const client = await connectMcp(withoutFinance, owner.session)
  const name = 'finance_listings_list'
  assert(!(await toolNames(client)).includes(name))
  const { body } = await callTool(client, 'tools_explain', { name })
  assert.deepEqual([body.offered, body.reason], [false, 'family_not_enabled'])
  assert.match(body.message, /finance/)
  assert.match(body.remedy, /FAMILIES/)
  const refused = await callTool(client, name)
  assert.equal(refused.body.error.code, 'not_enabled', refused.text)
})

test('tools_explain without a name says what it needs', async () => {
  const client = await connectMcp(withoutFinance, owner.session)
  const { body, isError } = await callTool(client, 'tools_explain', {})
  assert.deepEqual([isError, body.offered], [true, false])
  assert.match(body.message, /^The argument name is required: the name of a tool/)
  const itself = await callTool(client, 'tools_explain', { name: 'tools_explain' })
  assert.equal(
    itself.body.message,
    'The tool is offered. If a call is refused, its error says why.',
  )
})

test("contract 3: behind a proxy, the caller's own address reaches the address list", async () => {
  const allowedCidrs = ['203.0.113.0/24']
  const { secret } = await aKey(running, owner, ['documents:read'], { allowedCidrs })
  const calls: ((headers: Record<string, string>) => ReturnType<typeof callApi>)[] = [
    (headers) => callApi(proxied, 'GET', '/v1/me', { key: secret, headers }),
    (headers) => send(proxied, secret, 'tools/list', headers),
    (headers) => send(proxied, secret, 'tools/call', headers),
  ]
  for (const call of calls) {
    const allowed = await call({ 'x-forwarded-for': '198.51.100.7, 203.0.113.9' })
    assert.equal(allowed.status, 200, allowed.text)
    // What a caller claims to be stands to the left of what the proxy has seen.
    for (const [forwarded, seen] of [
      ['198.51.100.7', '198.51.100.7'],
      ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
      ['', '127.0.0.1'],
    ] as const) {
      const { status, body } = await call({ 'x-forwarded-for': forwarded })
      assert.deepEqual([status, body.error.code], [403, 'forbidden'])
      assert.equal(body.error.details.address, seen)
    }
  }
})

test('tooling 2: on stdio, a key that no header can carry is never shown', () => {
  const script = join(import.meta.dirname, '../../scripts/mcp-stdio.ts')
  const env = { DOCEX_API_KEY: 'rk_test_secret…', DOCEX_BASE_URL: withoutFinance.baseUrl }
  const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
  const run = spawnSync(process.execPath, [script], { env, input, encoding: 'utf8' })
  assert.deepEqual([run.status, run.stdout], [2, ''])
  assert.match(run.stderr, /^DOCEX_API_KEY has characters that no key has/)
})

test('tooling 2: on stdio, an option that npm has kept for itself is not taken for none', () => {
  const script = join(import.meta.dirname, '../../scripts/mcp-stdio.ts')
  const env = { DOCEX_API_KEY: owner.key, DOCEX_BASE_URL: running.baseUrl }
  // What npm makes of `npm run -s mcp --readonly`, and of --toolsets=documents.
  for (const kept of [{ npm_config_read_only: 'true' }, { npm_config_toolsets: 'documents' }]) {
    const options = { env: { ...env, ...kept }, input: '', encoding: 'utf8' } as const
    const run = spawnSync(process.execPath, [script], options)
    assert.deepEqual([run.status, run.stdout], [2, ''])
    assert.match(run.stderr, /npm run -s mcp -- /)
  }
})
