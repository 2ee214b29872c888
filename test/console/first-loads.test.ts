/** What a browser asks for until a page is there (console 5: bytes, files and calls). */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Page, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const isLong = process.env['LONG'] === '1'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, consoleDist, browser, context, at, signIn, post, openSession } = started
const office = missingBrowser === undefined ? await busyOffice(started) : undefined
const { bill, draft, month } = office ?? {}

const addEndpoint = async (): Promise<string> => {
  const session = await openSession(practice.organization.admin)
  return (await post(session, '/v1/webhooks', { url: 'http://127.0.0.1:9000/' })).id
}
const endpoint = missingBrowser === undefined ? await addEndpoint() : ''

interface FirstLoad {
  name: string
  path: string
  /** Waits for what is last to be there. */
  isThere: (page: Page) => Promise<void>
  maxBytes?: number
}

const shows =
  (role: 'table' | 'region' | 'button' | 'heading', ...names: (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.getByRole(role, { name }).first().waitFor()
  }

const says =
  (text: string) =>
  (page: Page): Promise<void> =>
    page.getByText(text).first().waitFor()

/** A document and the form of a draft have more to show: 130 KiB. */
const documentBytesMost = 133_000

const pages: readonly FirstLoad[] = [
  { name: 'Home', path: '/', isThere: shows('region', 'First steps', 'What is owed') },
  { name: 'Documents', path: '/documents', isThere: shows('table', /^All: documents/) },
  {
    name: 'a document',
    path: `/documents/${bill}`,
    isThere: says('History intact'),
    maxBytes: documentBytesMost,
  },
  { name: 'Payments', path: '/payments', isThere: shows('table', 'Payments, newest first') },
]

/** Whoever measures all pages has the time. */
const morePages: readonly FirstLoad[] = [
  {
    name: 'documents that a chart has narrowed',
    path: '/documents?view=due_in&currency=EUR',
    isThere: shows('button', 'Remove the filter: EUR'),
  },
  {
    name: 'a new document',
    path: '/documents/new',
    isThere: shows('button', 'Save draft'),
    maxBytes: documentBytesMost,
  },
  {
    name: 'a draft',
    path: `/documents/${draft}/edit`,
    isThere: says('Subtotal'),
    maxBytes: documentBytesMost,
  },
  {
    name: 'a proof',
    path: `/documents/${bill}/provenance`,
    isThere: shows('region', /^What led to it/),
  },
  {
    name: 'the calendar',
    path: `/payments?view=calendar&month=${month}`,
    isThere: shows('table', /^Payments in /),
  },
  { name: 'Approvals', path: '/approvals', isThere: says('Nothing is waiting') },
  { name: 'Approval rules', path: '/approvals/rules', isThere: says('No approval rules yet') },
  { name: 'Treasury', path: '/treasury', isThere: shows('region', 'The next eight weeks') },
  { name: 'Finance', path: '/finance', isThere: says('No agreements yet') },
  { name: 'Connections', path: '/connections', isThere: shows('table', 'Connections') },
  { name: 'Keys', path: '/keys', isThere: shows('table', 'Keys') },
  { name: 'Webhooks', path: '/webhooks', isThere: shows('table', 'Endpoints') },
  { name: 'an endpoint', path: `/webhooks/${endpoint}`, isThere: says('No deliveries') },
  { name: 'Events', path: '/events', isThere: shows('table', 'Events, newest first') },
  { name: 'Requests', path: '/requests', isThere: shows('region', 'Calls by day') },
  { name: 'Settings', path: '/settings', isThere: shows('table', 'Members') },
  { name: 'the audit log', path: '/audit', isThere: shows('table', /^What people did/) },
  { name: 'Sessions', path: '/sessions', isThere: shows('table', 'Your sessions, newest first') },
  { name: 'no page', path: '/nowhere', isThere: shows('heading', /./) },
]

/** Seen by whoever is not signed in. */
const openPages: readonly FirstLoad[] = [
  { name: 'signing in', path: 'sign-in', isThere: shows('button', 'Sign in') },
  {
    name: 'asking for a link',
    path: 'sign-in/link',
    isThere: shows('heading', 'Sign in by a link'),
  },
  { name: 'the setup', path: 'setup#t=st_unknown', isThere: shows('heading', /^Set up/) },
  { name: 'a link', path: 'link#t=ml_unknown', isThere: shows('heading', /by your link$/) },
  { name: 'an invitation', path: 'invitation#t=in_unknown', isThere: shows('heading', /^Accept/) },
  { name: 'signed in elsewhere', path: 'signed-in', isThere: shows('heading', /^This sign-in/) },
]

const device: FirstLoad = {
  name: 'signing in a program',
  path: 'device',
  isThere: shows('heading', 'Sign in a program'),
}

const parts =
  missingBrowser === undefined
    ? readdirSync(join(consoleDist, 'assets')).filter((name) => /\.(js|css)$/.test(name))
    : []
const bytesOf = (names: string[]): number =>
  names.reduce((sum, name) => sum + statSync(join(consoleDist, 'assets', `${name}.br`)).size, 0)

const isFile = (url: string): boolean => new URL(url).pathname.startsWith('/app/')

const isShown = `![...document.querySelectorAll('main .animate-pulse')]
  .some((one) => one.getBoundingClientRect().top < innerHeight)`

describe('a first load of the console', { skip: missingBrowser ?? false }, () => {
  test('the entry has at most 95 KB, a lazy part 30, the styles 12', (t) => {
    const index = readFileSync(join(consoleDist, 'index.html'), 'utf8')
    const entry = parts.filter((name) => name.endsWith('.js') && index.includes(name))
    assert(entry.length > 0 && bytesOf(entry) <= 95_000, `entry: ${bytesOf(entry)} bytes`)
    for (const name of parts.filter((name) => !entry.includes(name)))
      assert(bytesOf([name]) <= (name.endsWith('.css') ? 12_000 : 30_000), name)
    t.diagnostic(`entry ${bytesOf(entry)} bytes`)
  })

  /** `open` gives a page of a browser that has nothing of the console yet. */
  const measures = (
    { name, path, isThere, maxBytes = 130_000 }: FirstLoad,
    open: () => Promise<Page>,
  ) =>
    test(`${name} is there after at most ${maxBytes} bytes, 12 files and 12 calls`, async (t) => {
      const page = await open()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.goto(path.startsWith('/') ? at(path) : `${baseUrl}/app/${path}`)
      await isThere(page)
      await until('nothing on the screen is still loaded', () => page.evaluate<boolean>(isShown))
      await page.close()
      const files = asked.filter(isFile)
      const calls = asked.filter((url) => !isFile(url))
      const loaded = parts.filter((part) => files.some((url) => url.endsWith(`/${part}`)))
      assert(loaded.length > 0 && bytesOf(loaded) <= maxBytes, `${bytesOf(loaded)}: ${loaded}`)
      assert(files.length <= 12 && calls.length <= 12, asked.join('\n'))
      t.diagnostic(`${bytesOf(loaded)} bytes, ${files.length} files, ${calls.length} calls`)
    })

  for (const page of isLong ? [...pages, ...morePages, device] : pages)
    measures(page, () => context.newPage())

  for (const page of isLong ? openPages : [])
    measures(page, async () => (await browser.newContext()).newPage())

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
    await visit.getByRole('region', { name: 'Drafts' }).getByRole('listitem').first().waitFor()
    await visit.getByText('hatched: due or scheduled').waitFor()
    await until('the warnings are read', () => asked.some((url) => url.includes('/v1/keys')))
    const calls = asked.filter((url) => !isFile(url))
    assert(calls.length <= 12, calls.join('\n'))
    t.diagnostic(`${calls.length} calls`)
    await own.close()
  })
})
