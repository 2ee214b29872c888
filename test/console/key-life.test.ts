/** The life of a key in the console (console 5.4): made, tried, bounded, rotated, revoked. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { loggedRequestPath } from '../support/http/logged-requests.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, issueBill, statusOf } = started
const { get, post, openSession } = started

describe('a key in the console', { skip: missingBrowser ?? false }, () => {
  const keys = { erp: '', next: '' }
  const shownSecret = async (): Promise<string> =>
    /rk_test_dx1_\w{40,}/.exec(await page.getByRole('dialog').innerText())![0]
  const stored = () => page.getByRole('button', { name: 'I have stored it' }).click()
  const statusWith = async (key: string) =>
    (await callApi({ baseUrl }, 'GET', '/v1/me', { key })).status
  const create = async (name: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name').fill(name)
    await fill()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
  }

  test('console 5.4: the secret is shown once, and the first call is made from there', async () => {
    await page.goto(at('/keys'))
    await create('ERP', () => page.getByRole('button', { name: 'Pay', exact: true }).click())
    keys.erp = await shownSecret()
    // Neither Escape nor a click beside it loses a secret.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.getByText(/^Scopes: .*payments:write/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'key-secret')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download .env' }).click()
    const file = readFileSync(await (await downloading).path(), 'utf8')
    assert.equal(file, `DOCEX_API_KEY=${keys.erp}\n`)
    await stored()
    await page.goto(at('/keys'))
    await page.getByText(keys.erp.slice(0, 20)).first().waitFor()
    assert.equal((await page.getByRole('main').innerText()).includes(keys.erp), false)
  })

  test('console 1.4: neither Back nor Esc leaves a secret that is not stored', async () => {
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await create('Till', async () => undefined)
    const secret = await shownSecret()
    for (const leave of ['back', 'Escape', 'back']) {
      if (leave === 'back') await page.evaluate('history.back()')
      else await page.keyboard.press(leave)
      await page.getByText('It is not shown again: store it first').first().waitFor()
      assert.equal(await shownSecret(), secret)
    }
    await stored()
    await page.getByRole('button', { name: 'Revoke Till' }).waitFor()
    assert.match(page.url(), /\/keys$/)
  })

  test('console 5.4: an address list that leaves this address out blocks, and says whom', async () => {
    const blocked = page.getByText('This range blocks you: your address now, 127.0.0.1,')
    await create('Elsewhere', async () => {
      await page.getByLabel('Allowed IP addresses').fill('203.0.113.0/24')
      await blocked.waitFor()
    })
    await page.getByRole('button', { name: 'Test now' }).click()
    await page.getByText('403: forbidden').waitFor()
    await page.getByText(/^You call from 127\.0\.0\.1/).waitFor()
    await stored()
  })

  test('console 1.4: the address of now is added to the ranges, which then do not block', async () => {
    await create('Here too', async () => {
      await page.getByLabel('Allowed IP addresses').fill('203.0.113.0/24')
      await page.getByRole('button', { name: 'Your address now: 127.0.0.1' }).click()
      const ranges = await page.getByLabel('Allowed IP addresses').inputValue()
      assert.equal(ranges, '203.0.113.0/24, 127.0.0.1')
      assert.equal(await page.getByText(/block you/).count(), 0)
      assert.deepEqual(await accessibilityViolations(page), [])
    })
    assert.equal(await statusWith(await shownSecret()), 200)
    await stored()
  })

  test('console 5.4: limits are shown, and hold', async () => {
    await create('Small payer', async () => {
      await page.getByRole('button', { name: 'Pay', exact: true }).click()
      await page.getByLabel('Limit per payment').fill('50')
      await page.getByLabel('Limit per day').fill('80')
      await picture(page, 'key-new')
    })
    const key = await shownSecret()
    await stored()
    await page.getByText('50.00 each, 80.00 a day').waitFor()
    const bill = await issueBill('Oak boards')
    await post(keys.erp, `/v1/documents/${bill}/transition`, { to: 'approved' })
    const refused = await callApi({ baseUrl }, 'POST', `/v1/documents/${bill}/pay`, {
      key,
      body: {},
    })
    assert.equal(refused.body.error.code, 'payment_limit_exceeded')
    assert.equal(await statusOf(bill), 'approved')
    const small = await issueBill('Pins', 2)
    await post(keys.erp, `/v1/documents/${small}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${small}/pay`, {})
    await page.goto(at('/keys'))
    await page.getByText(/25\.92 used today, .*54\.08 left$/).waitFor()
  })

  test('console 1.4: a scope that cannot be given is shown with the reason, and not ticked', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/keys`)
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByText('Only a verified organization has it.').waitFor()
    const scope = (name: string) => page.getByRole('checkbox', { name })
    await scope('treasury:read').press(' ')
    assert.equal(await scope('treasury:read').isChecked(), false)
    const refused = await page.evaluate<[string, string][]>(
      `[...document.querySelectorAll('input[aria-disabled="true"]')].map((one) =>
        [one.labels[0].innerText.split('\\n')[0],
          document.getElementById(one.getAttribute('aria-describedby')).innerText])`,
    )
    assert.deepEqual(refused, [['treasury:read', 'Only a verified organization has it.']])
    await page.getByRole('button', { name: 'Audit', exact: true }).click()
    const ticked = ['provenance:read', 'treasury:read', 'payments:write'].map((name) =>
      scope(name).isChecked(),
    )
    assert.deepEqual(await Promise.all(ticked), [true, false, false])
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.goto(at('/keys'))
  })

  test('console 5.4: a rotation shows both keys, and who still uses the old one', async () => {
    await page.getByRole('button', { name: 'Rotate ERP' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate ERP' }).click()
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
    keys.next = await shownSecret()
    await stored()
    await page.getByRole('heading', { name: 'Rotation of ERP' }).waitFor()
    const [old, next] = ['Old key', 'New key'].map((name) => page.getByRole('region', { name }))
    await old!.getByText(keys.erp.slice(0, 20)).waitFor()
    await next!.getByText(keys.next.slice(0, 20)).waitFor()
    await old!.getByText(/calls? in the last hour/).waitFor()
    await old!.getByText(/^Last used .* from 127\.0\.0\.1\.$/).waitFor()
    // The table says the same of both.
    const usesOf = (area: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('${area} time')].map((one) => one.dateTime)`,
      )
    await until('the table has the time of the last call', async () => {
      const shown = await usesOf('section[aria-label="Old key"]')
      return (await usesOf('tbody tr')).includes(shown.at(-1)!)
    })
    const left = await old!.getByRole('timer').innerText()
    assert.match(left, /^23:5\d:\d\d left$/)
    await until('a second has passed', async () => {
      return (await old!.getByRole('timer').innerText()) < left
    })
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'key-rotation')
    assert.deepEqual([await statusWith(keys.erp), await statusWith(keys.next)], [200, 200])
  })

  test('console 5.4: the grace is ended, and the next call with the old key is 401', async () => {
    await page.getByRole('button', { name: 'End the grace of ERP now' }).click()
    const asked = page.getByRole('dialog')
    await asked.getByRole('button', { name: 'Revoke ERP' }).waitFor()
    // A second Enter would not destroy what the first one asks about.
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Keep it')
    await asked.getByRole('button', { name: 'Revoke ERP' }).click()
    await page.getByText('ERP is revoked').first().waitFor()
    assert.deepEqual([await statusWith(keys.erp), await statusWith(keys.next)], [401, 200])
    await until('the rotation is over', async () => {
      return (await page.getByRole('heading', { name: 'Rotation of ERP' }).count()) === 0
    })
  })

  test('console 1.6: the calls of a key are found by the key and the path', async () => {
    await page.goto(at('/requests?status=401'))
    await page.getByLabel('Path').fill('/v1/keys/*')
    await page.getByLabel('Path').press('Enter')
    await page.waitForURL(/path=/)
    await page.getByText('Nothing matches').waitFor()
    assert.equal(
      await page.evaluate<string>(`document.activeElement.placeholder`),
      '/v1/documents/*',
    )
    await page.getByLabel('Path').fill('/v1/documents/*')
    await page.getByLabel('Path').press('Enter')
    await page.getByLabel('Status').selectOption('All')
    const { data } = await get(await openSession(practice.organization.admin), '/v1/keys?limit=100')
    const { prefix } = data.find((key: { prefix: string }) => keys.erp.startsWith(key.prefix))
    // The new key has the same name.
    const key = page.getByRole('combobox', { name: 'Key' })
    await key.selectOption(`ERP (${prefix}…)`)
    await page
      .getByText(/^POST \/v1\/documents\/doc_/)
      .first()
      .waitFor()
    assert.match(page.url(), /path=%2Fv1%2Fdocuments%2F\*&key=key_/)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.6: a call leads to its caller, its document, its events and their deliveries', async () => {
    const bill = await issueBill('Elm boards')
    const approve = () =>
      callApi({ baseUrl }, 'POST', `/v1/documents/${bill}/transition`, {
        key: keys.next,
        body: { to: 'approved' },
        headers: { 'idempotency-key': 'approve-elm' },
      })
    const [first, replay] = [await approve(), await approve()]
    assert.deepEqual([first.status, replay.status], [200, 200])
    const session = await openSession(practice.organization.admin)
    await loggedRequestPath({ baseUrl }, { session }, replay)
    // Its first page could be full of questions whether it is in the log.
    await page.goto(at('/requests?path=%2Fv1%2Fdocuments%2F*'))
    const dialog = page.getByRole('dialog')
    await page
      .getByRole('row', { name: /ERP .*127\.0\.0\.1/ })
      .first()
      .waitFor()
    await page
      .getByRole('row', { name: /replay/ })
      .getByRole('button')
      .click()
    await dialog.getByText(/^ERP rk_test_dx1_.* from 127\.0\.0\.1$/).waitFor()
    await dialog.getByRole('link', { name: /^Bill BILL-/ }).waitFor()
    await dialog.getByRole('link', { name: first.headers.get('request-id')! }).click()
    const event = dialog.getByRole('link', { name: 'document.status_changed and its deliveries' })
    await event.first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await event.first().click()
    await dialog.getByRole('region', { name: 'Deliveries' }).waitFor()
    await page.goto(at('/'))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    await page.keyboard.type(first.headers.get('request-id')!)
    await page.getByRole('option', { name: /^POST \/v1\/documents/ }).click()
    await event.first().waitFor()
    await page.goto(at('/requests'))
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    await page.keyboard.press('`')
    const pane = page.getByRole('complementary', { name: 'Workbench' })
    await pane
      .getByRole('link', { name: /^GET \/v1\/requests\?limit=50/ })
      .first()
      .click()
    await page.waitForURL(/request=req_/)
  })

  test('a new key that is revoked while the old one still works replaces nothing', async () => {
    await page.goto(at('/keys'))
    await page.getByRole('button', { name: 'Rotate ERP' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate ERP' }).click()
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
    await stored()
    const admin = await openSession(practice.organization.admin)
    const old = (await get(admin, '/v1/keys?limit=100')).data.find(
      (key: { status: string }) => key.status === 'rotating',
    )
    await post(admin, `/v1/keys/${old.rotated_to_id}/revoke`)
    await page.goto(at('/keys'))
    const next = page.getByRole('region', { name: 'New key' })
    await next.getByText(/^It is revoked, so nothing replaces the old key/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
