/** What a list says where it shows nothing, and how it goes on (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, baseUrl, complaints, practice, at, post, openSession } = started

/** The service looks at 5,000 calls for one page. */
const newerCalls = 5_200

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
