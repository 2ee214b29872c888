/** What a browser asks for until a page is there (console 5: bytes, files and calls). */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Page, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, consoleDist, browser, context, at, signIn, issueBill } = started
const bill = missingBrowser === undefined ? await issueBill('Oak boards') : ''

/** Each page by its address, and what is last to be there. */
const pages: {
  name: string
  path: string
  isThere: (page: Page) => Promise<void>
  /** A document has more to show than a first screen, which has at most 130 KB. */
  maxBytes?: number
}[] = [
  {
    name: 'Home',
    path: '/',
    isThere: async (page) => {
      await page.getByRole('region', { name: 'First steps' }).waitFor()
      await page.getByRole('region', { name: 'What is owed' }).waitFor()
    },
  },
  {
    name: 'Documents',
    path: '/documents',
    isThere: (page) =>
      page
        .getByRole('link', { name: /^BILL-/ })
        .first()
        .waitFor(),
  },
  {
    name: 'a document',
    path: `/documents/${bill}`,
    maxBytes: 135_000,
    isThere: async (page) => {
      await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
      await page.getByText('History intact').waitFor()
    },
  },
  {
    name: 'Payments',
    path: '/payments',
    isThere: (page) => page.getByRole('table', { name: 'Payments' }).waitFor(),
  },
]

const parts =
  missingBrowser === undefined
    ? readdirSync(join(consoleDist, 'assets')).filter((name) => /\.(js|css)$/.test(name))
    : []
const bytesOf = (names: string[]): number =>
  names.reduce((sum, name) => sum + statSync(join(consoleDist, 'assets', `${name}.br`)).size, 0)

const isFile = (url: string): boolean => new URL(url).pathname.startsWith('/app/')

describe('a first load of the console', { skip: missingBrowser ?? false }, () => {
  test('the entry has at most 95 KB, a lazy part 30, the styles 12', (t) => {
    const index = readFileSync(join(consoleDist, 'index.html'), 'utf8')
    const entry = parts.filter((name) => name.endsWith('.js') && index.includes(name))
    assert(entry.length > 0 && bytesOf(entry) <= 95_000, `entry: ${bytesOf(entry)} bytes`)
    for (const name of parts.filter((name) => !entry.includes(name)))
      assert(bytesOf([name]) <= (name.endsWith('.css') ? 12_000 : 30_000), name)
    t.diagnostic(`entry ${bytesOf(entry)} bytes`)
  })

  for (const { name, path, isThere, maxBytes = 130_000 } of pages)
    test(`${name} is there after at most ${maxBytes} bytes, 12 files and 12 calls`, async (t) => {
      const page = await context.newPage()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.goto(at(path))
      await isThere(page)
      await page.close()
      const files = asked.filter(isFile)
      const calls = asked.filter((url) => !isFile(url))
      const loaded = parts.filter((part) => files.some((url) => url.endsWith(`/${part}`)))
      assert(loaded.length > 0 && bytesOf(loaded) <= maxBytes, `${bytesOf(loaded)}: ${loaded}`)
      assert(files.length <= 12 && calls.length <= 12, asked.join('\n'))
      t.diagnostic(`${bytesOf(loaded)} bytes, ${files.length} files, ${calls.length} calls`)
    })

  test('Home makes at most 12 calls once the first steps are over', async (t) => {
    const own = await browser.newContext()
    const { page: first } = await watchedPage(own, baseUrl)
    await signIn(first, practice.organization.admin)
    await first.getByRole('button', { name: 'Hide' }).click()
    await first.getByText('hatched: due or scheduled').waitFor()
    await first.close()
    const { page: visit } = await watchedPage(own, baseUrl)
    const asked: string[] = []
    visit.on('request', (request) => asked.push(request.url()))
    await visit.goto(at('/'))
    await visit.getByText('No draft waits to be issued.').waitFor()
    await visit.getByText('hatched: due or scheduled').waitFor()
    await until('the warnings are read', () => asked.some((url) => url.includes('/v1/keys')))
    const calls = asked.filter((url) => !isFile(url))
    assert(calls.length <= 12, calls.join('\n'))
    t.diagnostic(`${calls.length} calls`)
    await own.close()
  })
})
