/** An endpoint from its registration to its rotated secret, in the console (console 5.12). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'
import { momentOf } from '../../console/src/webhooks/wall-time.ts'
import { localReceiverSettings, respondWith, startReceiver } from '../support/webhooks/receiver.ts'

const started =
  skipsLong === undefined ? await startConsole(localReceiverSettings) : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, issueBill, openSession } = started

/** So many terminal failures in a row disable an endpoint (specification 6.3). */
const failuresUntilDisabled = 20

describe('webhooks in the console', { skip: skipsLong ?? false }, async () => {
  const receiver = await startReceiver()
  const seen = { endpoint: '', secret: '' }
  const endpointNow = async () =>
    get(await openSession(practice.organization.admin), `/v1/webhooks/${seen.endpoint}`)

  test('console 5.12: a new endpoint shows its secret once, and answers a ping', async () => {
    await page.goto(at('/webhooks'))
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    // As one pastes it, behind the scheme that is there already.
    await page.getByLabel('Address').press('End')
    await page.keyboard.type(receiver.url)
    assert.equal(await page.getByLabel('Address').inputValue(), receiver.url)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
    seen.secret = /whsec_[\w+/=]+/.exec(await page.getByRole('dialog').innerText())![0]
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('heading', { name: receiver.url }).waitFor()
    seen.endpoint = /whk_\w+/.exec(page.url())![0]
    await page.getByRole('button', { name: 'Ping' }).click()
    await page
      .getByText(/The endpoint answered 200/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'ping', exact: true }).waitFor()
    assert.equal(receiver.received.length, 1)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.12: an endpoint that answers 500 is disabled, with the reason', async () => {
    receiver.respond = respondWith(500, {}, 'out of memory')
    for (let i = 0; i * 2 < failuresUntilDisabled; i++) {
      await issueBill(`Board ${i}`)
      if ((i + 1) * 4 !== failuresUntilDisabled) continue
      await page.getByText('10 deliveries in a row have failed').waitFor()
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await until('it is disabled', async () => (await endpointNow()).status === 'DISABLED')
    await page.getByText('Disabled', { exact: true }).first().waitFor()
    await page.getByText((await endpointNow()).disabled_reason).waitFor()
    await picture(page, 'webhook-disabled')
    await page
      .getByRole('button', { name: /^document\./ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('out of memory').first().waitFor()
    const attempt = page.getByRole('dialog').getByRole('listitem').first()
    await attempt.getByText('Where the time went').click()
    await attempt.getByRole('row', { name: /^First byte \d+ ms$/ }).waitFor()
    const sent = receiver.received.find(({ headers }) =>
      page.url().endsWith(headers['svc-delivery-id']!),
    )!
    const body = page.getByRole('dialog').getByRole('region', { name: 'Body' })
    assert.equal(await body.locator('pre').innerText(), sent.rawBody)
    await attempt.getByText('Request headers').click()
    await attempt.getByText(`svc-signature: ${sent.headers['svc-signature']}`).waitFor()
    await attempt.getByRole('button', { name: 'Copy as curl, attempt 1' }).waitFor()
    await picture(page, 'webhook-delivery')
    await attempt.getByText('Verify').click()
    await attempt.getByRole('button', { name: 'Python' }).click()
    await attempt.getByText('import hashlib, hmac, os').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.goto(at('/'))
    const needs = page.getByRole('region', { name: 'Needs you' })
    await needs.getByRole('link', { name: /is disabled$/ }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await needs.getByRole('link', { name: /is disabled$/ }).click()
    await page.getByText((await endpointNow()).disabled_reason).waitFor()
  })

  test('console 5.12: it is enabled, and everything that failed is sent again at once', async () => {
    receiver.respond = respondWith(200)
    const before = receiver.received.length
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await page.getByText('The endpoint is active').first().waitFor()
    await page.getByLabel('State').selectOption('failed')
    await page.getByRole('cell', { name: 'Failed' }).first().waitFor()
    await until('only failed ones are shown', async () => {
      return (await page.getByRole('cell', { name: 'Succeeded' }).count()) === 0
    })
    await page.getByLabel('Select all rows').click()
    await page.getByText(`${failuresUntilDisabled} selected`).waitFor()
    await page.getByRole('button', { name: 'Send again…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await picture(page, 'webhook-redeliver')
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog.getByRole('button', { name: `Send ${failuresUntilDisabled} again` }).click()
    await dialog.getByText(`All ${failuresUntilDisabled} are on their way.`).waitFor()
    await until('all have arrived', () => {
      return receiver.received.length >= before + failuresUntilDisabled
    })
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await until('the failures are forgotten', async () => {
      return (await endpointNow()).consecutive_failures === 0
    })
  })

  test('console 5.12: after a rotation two v1 sign, and the browser tells whose each is', async () => {
    await page.getByRole('button', { name: 'Rotate secret…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText(/Two secrets sign until/).waitFor()
    const before = receiver.received.length
    await page.getByRole('button', { name: 'Ping' }).click()
    await until('the ping has arrived', () => receiver.received.length > before)
    const { headers, rawBody } = receiver.received.at(-1)!
    assert.equal(headers['svc-signature']!.match(/v1=/g)!.length, 2)
    await page.getByText('Check a signature that you received').click()
    await page.getByLabel('Svc-Signature').fill(headers['svc-signature']!)
    await page.getByLabel('Body, byte for byte').fill(rawBody)
    await page.getByLabel('Secret').fill(seen.secret)
    // The new secret's stands first; this is the old one.
    await page.getByText('v1, number 1: another secret').first().waitFor()
    await page.getByText('v1, number 2: this secret').first().waitFor()
    const excess = await page.evaluate<number>(`(() => {
      const panel = document.querySelector('[aria-label="Signature"]')
      panel.scrollIntoView()
      return panel.scrollWidth - panel.clientWidth
    })()`)
    assert.equal(excess, 0)
    await picture(page, 'webhook-signature')
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.5: a sample of a type is its newest event, with the same bytes and id', async () => {
    const before = receiver.received.length
    await page.getByRole('button', { name: 'Send a sample…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send a sample' })
    await dialog.getByLabel('Type of event').selectOption('finance.offer.received')
    await dialog.getByText('None has happened in the last 30 days.').waitFor()
    await dialog.getByLabel('Type of event').selectOption('document.created')
    await dialog.locator('code').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog.getByRole('button', { name: 'Send the sample' }).click()
    await until('the sample has arrived', () => receiver.received.length > before)
    const { event, rawBody } = receiver.received.at(-1)!
    assert.equal(event.type, 'document.created')
    const earlier = receiver.received.find(({ event: { id } }) => id === event.id)!
    assert.equal(rawBody, earlier.rawBody)
  })

  test('console 1.2: an endpoint is edited: its purpose, and the events that it receives', async () => {
    await page.getByRole('button', { name: 'Edit…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the endpoint' })
    await dialog.getByLabel('Description').fill('Accounting')
    for (const type of ['document.created', 'document.status_changed'])
      await dialog.getByLabel(type).click()
    await picture(page, 'webhook-edit')
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('document.created, document.status_changed', { exact: true }).waitFor()
    const { url, description, events } = await endpointNow()
    assert.deepEqual([url, description], [receiver.url, 'Accounting'])
    assert.deepEqual(events, ['document.created', 'document.status_changed'])
  })

  test('an event shows how it has reached each endpoint, and is sent again from there', async () => {
    const bill = await issueBill('Followed boards')
    await page.goto(at('/events?type=document.status_changed'))
    const { number } = await get(practice.organization.api_key, `/v1/documents/${bill}`)
    await page
      .locator('tr', { hasText: number })
      .getByRole('button', { name: 'document.status_changed' })
      .click()
    await page.waitForURL(/&event=evt_\w+$/)
    const deliveries = page.getByRole('dialog').getByRole('region', { name: 'Deliveries' })
    await deliveries.getByText(receiver.url).waitFor()
    await deliveries.getByText(/1 attempt · answered 200/).waitFor()
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await picture(page, 'event-deliveries')
    const before = receiver.received.length
    await deliveries.getByRole('button', { name: `Send again to ${receiver.url}` }).click()
    await until('it has arrived again', () => receiver.received.length > before)
    assert.equal(receiver.received.at(-1)!.rawBody, receiver.received[before - 1]!.rawBody)
    await deliveries.getByText(/2 attempts · answered 200/).waitFor()
    await deliveries.getByRole('link', { name: /^Inspect/ }).click()
    await page.waitForURL(/\/webhooks\/whk_\w+\?delivery=dlv_\w+$/)
    await page.getByRole('dialog').getByText('Attempt 2: 200').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.waitForURL(/\/webhooks\/whk_\w+$/)
  })

  test('what an endpoint has missed is counted before it is recovered', async () => {
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('The endpoint is disabled').first().waitFor()
    const bill = await issueBill('Missed boards')
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    await page.getByRole('button', { name: 'Enable and recover…' }).click()
    await page.getByText('The endpoint is active').first().waitFor()
    const dialog = page.getByRole('dialog', { name: 'Recover events' })
    await dialog.getByText(/events? would be sent/).waitFor()
    // Down to the second, since an outage may have begun before midnight.
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    const since = momentOf(await dialog.getByLabel('Since').inputValue(), zone)
    const { last_success_at } = await endpointNow()
    assert.equal(since.slice(0, 19), last_success_at.slice(0, 19))
    await dialog.getByLabel('Since').fill('2026-01-02T03:04:05')
    await dialog.getByText(/\d+ events would be sent/).waitFor()
    await picture(page, 'webhook-recover')
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog.getByRole('button', { name: 'Not now' }).click()
  })

  test('console 1.2: an endpoint that is not in this organization is missing, which is said once', async () => {
    for (const path of ['', '?delivery=dlv_01m8fa1yr5f3x9g3gdd516m7q8']) {
      await page.goto(at(`/webhooks/whk_01m8fa1yr5f3x9g3gdd516m7q8${path}`))
      await page.getByText('Not found in Practice Organization (sandbox)').waitFor()
      assert.equal(
        await page
          .locator('main')
          .getByText(/req_\w+/)
          .count(),
        1,
      )
      assert.equal(await page.getByRole('alert').count(), 0)
      assert.equal(await page.getByRole('dialog').count(), 0)
    }
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.locator('main').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
