/** The files of the console, which the service serves under /app. */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'

const folder = temporaryFolder()
const { baseUrl } = await startTestService({ CONSOLE_DIR: folder })

const start = '<!doctype html><script type="module" src="/app/assets/index-4f2a.js"></script>'
const script = 'console.log("an app")'

const build = async (html = start): Promise<void> => {
  await mkdir(join(folder, 'assets'), { recursive: true })
  for (const [name, content] of [
    ['assets/index-4f2a.js', script],
    ['favicon.svg', '<svg/>'],
    ['index.html', html],
  ] as const) {
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(content))
    await writeFile(join(folder, name), content)
  }
}

const get = (path: string, headers = {}, method = 'GET') =>
  fetch(baseUrl + path, { method, headers: { 'accept-encoding': 'identity', ...headers } })

test('until it is built, /app is 404 and says what to do', async () => {
  await rm(join(folder, 'index.html'), { force: true })
  const reply = await get('/app')
  assert.equal(reply.status, 404)
  assert.match(await reply.text(), /npm run build/)
})

test('every address of the app answers the start page, which is never cached unasked', async () => {
  await build()
  for (const path of ['/app', '/app/', '/app/o/org_1/documents?status=paid', '/app/index.html']) {
    const reply = await get(path)
    assert.deepEqual([reply.status, await reply.text()], [200, start], path)
    assert.equal(reply.headers.get('cache-control'), 'no-cache')
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
  }
})

test('the policy of the start page allows files of the build alone', async () => {
  await build()
  const { headers } = await get('/app')
  const policy = headers.get('content-security-policy')!
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /frame-src blob:;.* frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:/)
  assert.equal(
    headers.get('content-security-policy-report-only'),
    "require-trusted-types-for 'script'",
  )
})

test('a hashed file is immutable, compressed for who reads br, and 304 for who has it', async () => {
  await build()
  const plain = await get('/app/assets/index-4f2a.js')
  assert.deepEqual([plain.status, await plain.text()], [200, script])
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8')
  const etag = plain.headers.get('etag')!
  const known = await get('/app/assets/index-4f2a.js', { 'if-none-match': etag })
  assert.deepEqual([known.status, await known.text()], [304, ''])
  const compressed = await get('/app/assets/index-4f2a.js', { 'accept-encoding': 'br' })
  assert.equal(compressed.headers.get('content-encoding'), 'br')
  assert.equal(compressed.headers.get('vary'), 'Accept-Encoding')
  assert.equal(await compressed.text(), script)
  const head = await get('/app/assets/index-4f2a.js', {}, 'HEAD')
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${script.length}`])
})

test('a file that the build has not is 404, and no path leads out of the folder', async () => {
  await build()
  await writeFile(join(folder, '..', 'secret.txt'), 'outside')
  const paths = ['/app/assets/other.js', '/app/../secret.txt', '/app/%2e%2e/secret.txt']
  for (const path of [...paths, '/app/..%2fsecret.txt', '/app//etc/passwd.txt']) {
    const reply = await get(path)
    assert.equal(reply.status, 404, path)
  }
  await rm(join(folder, '..', 'secret.txt'))
})

test('another build is served without a restart', async () => {
  await build()
  assert.equal(await (await get('/app')).text(), start)
  await build(`${start}<!-- again -->`)
  assert.equal(await (await get('/app')).text(), `${start}<!-- again -->`)
})
