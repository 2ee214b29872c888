/** Pages over HTTP are public, rate limited and cacheable, and carry the standard headers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { version } from '../../src/contract/version.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { loopbackUrl } from '../support/engine/engine-fixture.ts'
import { startTestService } from '../support/test-service.ts'

const proxy = await startDatabaseProxy(await loopbackUrl((await testDatabase()).url))
const running = await startTestService({ BASE_URL: 'https://exchange.example' }, { url: proxy.url })

const get = (path: string, headers: Record<string, string> = {}) =>
  callApi(running, 'GET', path, { headers })

const typeOf: Readonly<Record<string, string>> = {
  '/v1/docs': 'text/html; charset=utf-8',
  '/v1/docs.md': 'text/markdown; charset=utf-8',
  '/v1/docs/webhooks': 'text/html; charset=utf-8',
  '/v1/docs/webhooks.md': 'text/markdown; charset=utf-8',
  '/v1/openapi.yaml': 'application/yaml; charset=utf-8',
  '/v1/openapi.json': 'application/json; charset=utf-8',
  '/llms.txt': 'text/plain; charset=utf-8',
}

const diskReads = [
  ...(['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream'] as const),
  ...(['stat', 'statSync', 'lstatSync', 'existsSync', 'readdir', 'readdirSync'] as const),
]
const promisedReads = ['open', 'readFile', 'stat', 'readdir'] as const

const root = join(import.meta.dirname, '../..')

// The first test, so that it has the first requests.
test('pages come from memory, from the first on: no file, no statement', async ({ mock }) => {
  const reads = [
    ...diskReads.map((name) => mock.method(fs, name)),
    ...promisedReads.map((name) => mock.method(fs.promises, name)),
  ]
  syncBuiltinESMExports()
  const held = Promise.withResolvers<void>()
  proxy.onStatement = () => held.promise
  try {
    let isAnswered = false
    const answered = () => (isAnswered = true)
    // It is given up if the machine takes long.
    void running.database.rows(sql`select 1`).then(answered, () => undefined)
    // Tasks that run meanwhile read about the process, and the files of the notary.
    const readFiles = () =>
      reads
        .flatMap(({ mock: { calls } }) =>
          calls.map(({ arguments: [file] }) => `${file as string | URL}`),
        )
        .filter((file) => file.includes(root))
    for (const path of Object.keys(typeOf)) {
      assert.equal((await get(path, { 'accept-encoding': 'br' })).status, 200)
    }
    assert.deepEqual([readFiles(), isAnswered], [[], false])
    // Both would have been noticed.
    fs.existsSync(import.meta.filename)
    assert.deepEqual(readFiles(), [import.meta.filename])
  } finally {
    proxy.onStatement = () => {}
    held.resolve()
    mock.restoreAll()
    syncBuiltinESMExports()
  }
})

for (const [path, type] of Object.entries(typeOf)) {
  test(`${path} is public, has every standard header and answers 304 for a current ETag`, async () => {
    const first = await get(path)
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-type'), type)
    assert.equal(first.headers.get('svc-api-version'), version)
    assert.match(first.headers.get('request-id') ?? '', /^req_/)
    assert.match(first.headers.get('ratelimit') ?? '', /r=\d+/)
    assert(first.headers.has('ratelimit-policy'))
    assert.equal(first.headers.get('x-content-type-options'), 'nosniff')
    assert(first.text.includes('https://exchange.example'))

    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^(W\/)?"[\w-]{22}"$/)
    const again = await get(path, { 'if-none-match': `"other", ${etag}` })
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200)
    const head = await callApi(running, 'HEAD', path)
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag])
  })
}

for (const [path, target] of [
  ...['/', '/docs', '/v1/docs/'].map((near) => [near, '/v1/docs'] as const),
  ['/llms-full.txt', '/v1/docs.md'] as const,
  ['/v1/docs/quickstart/', '/v1/docs/quickstart'] as const,
]) {
  test(`${path} redirects a browser to the docs`, async () => {
    const { status, headers, text } = await get(path, { accept: 'text/html,*/*;q=0.8' })
    const location = headers.get('location')
    assert.deepEqual([status, location, text], [302, `https://exchange.example${target}`, ''])
    assert.match(headers.get('request-id') ?? '', /^req_/)
  })
}

test('a redirect leads to this service, whatever host stands in the request line', async () => {
  const request = http.get(running.baseUrl, { path: 'http://elsewhere/v1/docs/quickstart/' })
  const [{ headers }] = (await once(request, 'response')) as [http.IncomingMessage]
  request.destroy()
  assert.equal(headers.location, 'https://exchange.example/v1/docs/quickstart')
})

test('/ tells a program where things are', async () => {
  const { status, body } = await get('/')
  assert.equal(status, 200)
  for (const name of ['docs', 'openapi', 'llms', 'enablement']) {
    const { pathname, origin } = new URL(body[name])
    assert.deepEqual(
      [origin, (await get(pathname)).status],
      ['https://exchange.example', 200],
      name,
    )
  }
})

test('long texts are compressed for who accepts it, with one ETag that matches all', async () => {
  for (const path of Object.keys(typeOf)) {
    const plain = await get(path, { 'accept-encoding': 'identity' })
    assert.equal(plain.headers.get('content-encoding'), null)
    const { length } = Buffer.from(plain.text)
    assert.equal(Number(plain.headers.get('content-length')), length)
    for (const encoding of ['br', 'gzip']) {
      const { headers, text } = await get(path, { 'accept-encoding': encoding })
      assert.equal(text, plain.text)
      assert.match(headers.get('vary') ?? '', /Accept-Encoding/)
      if (length < 10_000) continue
      assert.equal(headers.get('content-encoding'), encoding, path)
      assert(Number(headers.get('content-length')) < length / 3, path)
      const known = { 'if-none-match': headers.get('etag')! }
      assert.equal((await get(path, known)).status, 304)
    }
    const refused = await get(path, { 'accept-encoding': 'br;q=0, gzip;q=0' })
    assert.equal(refused.headers.get('content-encoding'), null)
  }
})

test('every link of the downloaded docs is absolute and leads somewhere', async () => {
  const { text } = await get('/v1/docs.md')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => new URL(target!))
  assert(links.length > 100)
  const texts = new Map<string, string>()
  for (const { origin, pathname, hash, href } of links) {
    assert.equal(origin, 'https://exchange.example', href)
    if (!texts.has(pathname)) {
      const page = await get(pathname)
      assert.equal(page.status, 200, href)
      texts.set(pathname, page.text)
    }
    const isThere = hash === '' || texts.get(pathname)!.includes(`<section id="${hash.slice(1)}"`)
    assert(isThere, href)
  }
})

test('a page of the docs may load nothing from elsewhere, and nothing inline', async () => {
  for (const path of ['/v1/docs', '/v1/docs/webhooks']) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
  }
})

test('what a page loads is named by its content and kept by the browser', async () => {
  const page = await get('/v1/docs')
  const files = [...page.text.matchAll(/"(\/v1\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  assert.deepEqual(
    files.map((path) => path.split('/').at(-1)),
    ['search.json', 'icon.svg', 'docs.css', 'theme.js', 'docs.js'],
  )
  for (const path of files) {
    const { status, headers } = await get(path)
    assert.deepEqual(
      [status, headers.get('cache-control')],
      [200, 'public, max-age=31536000, immutable'],
    )
  }
})

test('a page that does not exist is 404 with the error envelope', async () => {
  for (const path of ['/v1/docs/nothing', '/v1/docs/assets/x/docs.css', '/v1/docs/docs.css']) {
    const { status, body } = await get(path)
    assert.deepEqual(
      [status, body.error.code, body.error.details.resource],
      [404, 'not_found', 'page'],
    )
  }
})

// The Accept header, and whether the response is Markdown.
const accepted: [accept: string, isMarkdown: boolean][] = [
  ['*/*', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['text/markdown', true],
  ['text/markdown, text/html;q=0.8', true],
  ['text/html, text/markdown;q=0.5', false],
  ['text/markdown;q=0', false],
  ['Text/Markdown; charset=utf-8', true],
  ['text/markdown, text/html, */*', true],
  ['text/html, text/markdown', false],
  ['text/*;q=0.5, text/markdown;q=0.4', false],
  ['application/json', false],
]

for (const [accept, isMarkdown] of accepted) {
  test(`/v1/docs for Accept: ${accept} is ${isMarkdown ? 'Markdown' : 'HTML'}`, async () => {
    const { headers, text } = await get('/v1/docs', { accept })
    const type = isMarkdown ? 'text/markdown' : 'text/html'
    assert(headers.get('content-type')?.startsWith(type))
    assert.equal(headers.get('vary'), 'Accept, Accept-Encoding')
    assert.equal(text, isMarkdown ? (await get('/v1/docs.md')).text : text)
  })
}

test('the YAML form equals the JSON form', async () => {
  const written = (await get('/v1/openapi.yaml')).text
  assert.deepEqual(parse(written), (await get('/v1/openapi.json')).body)
})

test('specification 8: pages are rate limited per address, like public operations', async () => {
  const limited = await running.startAnother({ RATE_LIMITS: 'sec=1000,min=3' })
  const statuses = []
  for (let i = 0; i < 4; i += 1) statuses.push((await callApi(limited, 'GET', '/llms.txt')).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
  const refused = await callApi(limited, 'GET', '/v1/docs')
  assert.equal(refused.body.error.code, 'rate_limited')
  assert(refused.headers.has('retry-after'))
  assert.equal((await callApi(limited, 'GET', '/v1/enablement')).status, 429)
})
