/** Home of a new organization (console 1.11), where nothing moves while it loads (console 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accessibilityViolations,
  missingBrowser,
  showStates,
  watchedPage,
} from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { runAdmin } from '../support/processes/program.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, dataDir, context, page, complaints, practice, at, get, openSession, issueBill } =
  started
const { endFirstSteps, post } = started
const live = (path: string) => `${baseUrl}/app/o/${practice.live.id}${path}`
const steps = () => page.getByRole('region', { name: 'First steps' })

/** What has moved by itself since the page was loaded, as Chromium adds it up. */
const shifted = `new Promise((done) => {
  let sum = 0
  const add = (entries) => {
    for (const { value, hadRecentInput } of entries) if (!hadRecentInput) sum += value
  }
  const shifts = new PerformanceObserver((list) => add(list.getEntries()))
  shifts.observe({ type: 'layout-shift', buffered: true })
  // Of a page there is always one, after all that were before.
  new PerformanceObserver(() => {
    add(shifts.takeRecords())
    done(sum)
  }).observe({ type: 'navigation', buffered: true })
})`

const skeletons = `document.querySelectorAll('.animate-pulse').length`

/** Two frames: what was answered has been drawn. */
const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** How much moves on a page of its own until everything that it has asked for is shown. */
const movedOn = async (path: string, width: number): Promise<number> => {
  const visit = await context.newPage()
  const open = new Set<string>()
  // The stream of changes never ends.
  visit.on('request', (request) => request.url().endsWith('/stream') || open.add(request.url()))
  visit.on('response', (response) => open.delete(response.url()))
  await visit.setViewportSize({ width, height: 900 })
  await visit.goto(at(path))
  await visit.getByRole('heading', { name: /^(Good|Documents|Bill)/ }).waitFor()
  await until('everything is shown', async () => {
    await visit.evaluate(drawn)
    return open.size === 0 && (await visit.evaluate<number>(skeletons)) === 0
  })
  const moved = await visit.evaluate<number>(shifted)
  await visit.close()
  return moved
}

interface Point {
  group: string
  start: string | null
  amount: number
}

const dollars = (amount: number): string =>
  amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })

describe('the first steps', { skip: missingBrowser ?? false }, () => {
  test('console 1.11: an organization without a document has its steps, no charts, and 12 calls', async () => {
    const visit = await watchedPage(context, baseUrl)
    const asked: string[] = []
    const refused: string[] = []
    visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    visit.page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await visit.page.goto(live('/'))
    const list = visit.page.getByRole('region', { name: 'First steps' })
    await list.getByText('2 of 11').waitFor()
    assert.equal(await visit.page.getByRole('region').count(), 1)
    const calls = asked.filter((path) => !path.startsWith('/app/'))
    assert(calls.length <= 12, calls.join('\n'))
    assert.deepEqual(refused, [], 'nothing is asked for that an unverified organization has not')
    await list.getByRole('link', { name: /^Get verified and choose a processor/ }).waitFor()
    await list.getByRole('link', { name: /^Create a live key/ }).waitFor()
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await picture(visit.page, 'first-steps-live')
    assert.deepEqual(visit.complaints, [])
    await visit.page.close()
  })

  test('console 5: a verified live organization that was never paid makes 12 calls, from any other', async () => {
    const theirs = practice.live.counterparty_admin_session_token
    const draft = await post(theirs, '/v1/documents', {
      connection_id: practice.live.connection_id,
      document_type: 'invoice',
      line_items: [{ description: 'Beams', quantity: 1, unit_price: 1234.5, tax_rate: 0 }],
    })
    await post(theirs, `/v1/documents/${draft.id}/issue`)
    const verify = ['organization', 'verify', practice.live.id]
    const { exitCode, stderr } = await runAdmin(verify, { DATA_DIR: dataDir })
    assert.equal(exitCode, 0, stderr)
    // The session is of the sandbox again, and the address names the other organization.
    await page.goto(at('/'))
    await steps().waitFor()
    const visit = await watchedPage(context, baseUrl)
    const asked: string[] = []
    visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await visit.page.goto(live('/'))
    await visit.page.getByRole('region', { name: 'First steps' }).waitFor()
    await visit.page.getByRole('region', { name: 'What is owed' }).waitFor()
    await until('the changes are followed', () => asked.includes('/v1/stream'))
    await until('the warnings are read', () => asked.includes('/v1/me'))
    const calls = asked.filter((path) => !path.startsWith('/app/'))
    assert(calls.length <= 12, calls.join('\n'))
    assert(asked.includes('/v1/finance/setup'))
    assert.deepEqual(visit.complaints, [])
    await visit.page.close()
  })

  test('console 1.11: what no data can show is marked by the person, on every device', async () => {
    await issueBill('Oak boards')
    await page.goto(at('/'))
    await steps()
      .getByText(/^2 of 10$/)
      .waitFor()
    await page.getByRole('region', { name: 'To approve' }).waitFor()
    assert.equal(await page.getByRole('region', { name: 'Cash flow' }).count(), 0)
    await page.getByRole('button', { name: 'I have done it: Verify a signature' }).click()
    await steps().getByText('3 of 10').waitFor()
    const session = await openSession(practice.organization.admin)
    const { first_steps } = await get(session, '/v1/preferences')
    assert.deepEqual(first_steps, { signature_verified: true, proof_verified: false })
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await picture(page, 'first-steps')
  })

  test('console 1.11: each step has a command that does the same', async () => {
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the command: Make your first call' }).click()
    await page.getByText('Copied').first().waitFor()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(command, `curl '${baseUrl}/v1/me' -H "Authorization: Bearer $DOCEX_API_KEY"`)
    assert.equal(await page.getByRole('button', { name: /^Copy the command: / }).count(), 10)
  })

  test('console 1.11: the last steps are those of the live organization, one click away', async () => {
    await page.getByRole('button', { name: 'Open the live organization' }).click()
    await page.waitForURL((url) => !String(url).includes(practice.organization.id))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await until('it is live', async () => !(await page.title()).includes('SANDBOX'))
  })

  test('console 5: nothing moves on Home, in the list and on a document while they load', async (t) => {
    const bill = await issueBill('Ash boards')
    const measure = async (path: string): Promise<void> => {
      for (const width of [1440, 390]) {
        const moved = await movedOn(path, width)
        assert(moved <= 0.02, `${path} at ${width} moves by ${moved}`)
        t.diagnostic(`${path} at ${width}: ${moved.toFixed(4)}`)
      }
    }
    for (const path of ['/', '/documents', `/documents/${bill}`]) await measure(path)
    await endFirstSteps()
    await measure('/')
  })

  test('console 1.9: the cash flow goes on with what is due, and each chart is a sentence and a table', async () => {
    const { api_key } = practice.organization
    const bill = await issueBill('Beech boards')
    await post(api_key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(api_key, `/v1/documents/${bill}/pay`)
    await endFirstSteps()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('/'))
    await showStates(page)
    const cash = page.getByRole('region', { name: 'Cash flow' })
    const sentence = (await cash.getByRole('img').getAttribute('aria-label'))!
    const today = await get(api_key, '/v1/statistics?metric=projection')
    const sum = (points: Point[]) => points.reduce((all, { amount }) => all + amount, 0)
    const isOut = ({ group, start }: Point) => start !== null && /_out$/.test(group)
    const due = dollars(sum(today.points.filter(isOut)))
    const spent = dollars(19.99 * 12 * 1.08)
    assert(sentence.startsWith(`$0.00 came in and ${spent} went out since `), sentence)
    assert(sentence.includes(`$0.00 is expected in and ${due} out by `), sentence)
    assert.equal(await cash.getByRole('link', { name: /^Next, the week of / }).count(), 7)
    for (const title of ['What is owed', 'Cash flow, USD', 'Documents by state'])
      await page.getByRole('button', { name: `Show as table: ${title}` }).click()
    const weeks = cash.getByRole('row')
    assert.equal(await weeks.count(), 1 + 13 + 7)
    await cash.getByRole('cell', { name: due }).first().waitFor()
    await page.getByRole('rowheader', { name: 'Received: Paid' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Show as chart: Cash flow, USD' }).click()
    await cash
      .getByRole('link', { name: /^Next, the week of / })
      .last()
      .click()
    await page.waitForURL(/\/treasury$/)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
