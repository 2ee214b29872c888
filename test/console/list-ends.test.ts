/** What a list says where it shows nothing, and how it goes on (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, baseUrl, complaints, practice, at, get, post, openSession } = started

/** The service looks at 5,000 calls for one page. */
const newerCalls = 5_200

/** More than two pages of a list have. */
const readCount = 110

/** A call that was refused, and so many later ones that a page ends before it. */
const buryRefusedCall = async (): Promise<void> => {
  const key = practice.organization.api_key
  const { status } = await callApi({ baseUrl }, 'GET', '/v1/documents/doc_nothing', { key })
  assert(status >= 400)
  const database = await openTestConnection(practice.database_url, 'a test')
  const refused = sql`
    select organization_id from requests
    where path like '/v1/documents/%' and status = ${status} order by id desc limit 1`
  await until('it is in the log', async () => (await database.rows(refused)).length === 1)
  await database.rows(sql`
    insert into requests (organization_id, id, method, path, status, duration_ms)
    select organization_id, first_uuid_at(now() + n * interval '1 millisecond'),
      'GET', '/v1/documents', 200, 1
    from (${refused}) r, generate_series(1, ${newerCalls}::integer) n`)
  await database.close()
}

describe('a list', { skip: skipsLong ?? false }, () => {
  const clear = async (): Promise<void> => {
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Clear filters' }).waitFor({ state: 'hidden' })
  }

  test('console 1.2: the calls of programs are not buried by what the console reads', async () => {
    const key = practice.organization.api_key
    await callApi({ baseUrl }, 'GET', '/v1/payments', { key })
    const session = await openSession(practice.organization.admin)
    for (let i = 0; i < readCount; i++)
      await callApi({ baseUrl }, 'GET', '/v1/connections', { key: session })
    const logged = () => get(session, `/v1/requests?path=/v1/connections&limit=100`)
    await until('all are in the log', async () => (await logged()).has_more)
    await page.goto(at('/requests'))
    // Two pages of reads are newer.
    const ofKey = page.getByRole('cell', { name: /GET \/v1\/payments/ })
    await ofKey.waitFor()
    const ofConsole = page.getByRole('cell', { name: /GET \/v1\/connections/ })
    assert.equal(await ofConsole.count(), 0)
    const note = page.getByText(/^\d+ reads by people are hidden, such as those of this console\./)
    assert(Number.parseInt(await note.innerText(), 10) >= readCount)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.getByRole('link', { name: 'Show', exact: true }).click()
    await page.waitForURL(/\/requests\?reads=shown$/)
    await ofConsole.first().waitFor()
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    await page.getByRole('link', { name: 'Hide it' }).click()
    await ofKey.waitFor()
    assert.equal(await ofConsole.count(), 0)
    await callApi({ baseUrl }, 'GET', '/v1/events', { key })
    await until('it is in the log', async () => {
      const { data } = await get(session, '/v1/requests?path=/v1/events')
      return data.some(({ key_id: by }: { key_id: string | null }) => by !== null)
    })
    await page.goto(at('/requests'))
    await page.getByRole('cell', { name: /GET \/v1\/events/ }).waitFor()
    assert.equal(await ofKey.count(), 0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await ofKey.waitFor()
    // Whoever names them is shown them.
    await page.goto(at('/requests?path=/v1/connections'))
    await ofConsole.first().waitFor()
    assert.equal(await page.getByText(/reads by people/).count(), 0)
  })

  test('an empty page that has a next one is followed', async () => {
    await buryRefusedCall()
    await page.goto(at('/requests?path=/v1/documents/doc_nothing'))
    await page
      .getByRole('cell', { name: /doc_nothing/ })
      .first()
      .waitFor()
  })

  test('with filters that nothing matches, it says so, and they are taken away at once', async () => {
    for (const path of ['/requests?status=503', '/payments?status=returned']) {
      await page.goto(at(path))
      await page.getByText('Nothing matches', { exact: true }).waitFor()
      assert.deepEqual(await accessibilityViolations(page), [])
      await clear()
    }
  })

  test('a filter that the service does not know is taken away as well', async () => {
    await page.goto(at('/requests?status=nope'))
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await clear()
    await page
      .getByRole('cell', { name: /\/v1\// })
      .first()
      .waitFor()
  })

  test('approvals and connections that others change are seen without a reload', async () => {
    const admin = await openSession(practice.organization.admin)
    await page.goto(at('/connections'))
    await page.getByRole('cell', { name: /^Demo Counterparty/ }).waitFor()
    await post(admin, '/v1/connections', { email: 'later@example.com' })
    await page.getByRole('cell', { name: /^later@example\.com/ }).waitFor()
  })

  test('a page whose title is one long word fits the narrowest screen', async () => {
    const admin = await openSession(practice.organization.admin)
    const { id } = await post(admin, '/v1/webhooks', {
      url: `http://127.0.0.1:9/${'hooks'.repeat(20)}`,
      events: ['document.created'],
    })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(at(`/webhooks/${id}`))
    await page.getByRole('heading', { name: /hookshooks/ }).waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.equal(width, 320)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
