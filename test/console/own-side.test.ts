/** What belongs to one side or one person in the console: comments, views, preferences, proofs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import {
  accessibilityViolations,
  missingBrowser,
  skipsLong,
  watchedPage,
} from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { whileNewestIsLocked } from '../support/console/session-rows.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at, issueBill, post, get } = started
const { openSession, signIn } = started
const bill = missingBrowser === undefined ? await issueBill('Oak boards') : ''
if (missingBrowser === undefined) {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

describe('what belongs to one side or one person', { skip: missingBrowser ?? false }, () => {
  test('a comment is written and read, and the other side never sees it', async () => {
    await page.goto(at(`/documents/${bill}`))
    await page.getByLabel('New comment').fill('Ask for the delivery note first.')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page
      .getByRole('list', { name: /^Comments/ })
      .getByText('Ask for the')
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    const ours = await get(practice.organization.api_key, `/v1/documents/${bill}/comments`)
    assert.deepEqual([ours.data.length, ours.data[0].author.kind], [1, 'user'])
    const theirs = await get(practice.demo.api_key, `/v1/documents/${bill}/comments`)
    assert.deepEqual(theirs.data, [])
  })

  test('console 1.2: what is refused is said at its field, which has the focus', async () => {
    const isRefused = async (label: string, said: RegExp): Promise<void> => {
      const field = page.getByLabel(label)
      await until(`${label} has the focus`, () =>
        page.evaluate<boolean>(`document.activeElement.getAttribute('aria-invalid') === 'true'`),
      )
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
      const id = await field.getAttribute('aria-describedby')
      assert.match(await page.locator(`[id="${id}"]`).innerText(), said)
    }
    await page.goto(at('/documents/new'))
    await page.getByLabel('Description of line 1').fill('Ash')
    await page.getByLabel('Unit price of line 1').fill('4')
    // The second line is not sent, so the third is the second of the body.
    await page.getByLabel('SKU of line 1').press('Enter')
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Description of line 3').fill('Oak')
    await page.getByLabel('Unit price of line 3').fill('5')
    await page.getByLabel('Quantity of line 3').fill('a dozen')
    await page.getByText('Correct the marked field.').waitFor()
    await page.getByLabel('Payment terms').focus()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await isRefused('Quantity of line 3', /^Quantity: /)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByLabel('Quantity of line 3').fill('12')
    await page.getByText('$64.00').first().waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)

    await page.goto(at('/connections'))
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('E-mail or organization id').fill('nobody@')
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await isRefused('E-mail or organization id', /e-?mail/i)
    await page.getByLabel('E-mail or organization id').fill('mill@supplier.example')
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    const invitation = await page.getByLabel('Text to pass on').inputValue()
    assert.match(invitation, /^Practice Organization invites you/)
    assert(invitation.includes(`Sign in as mill@supplier.example: ${baseUrl}/app\n`))
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.goto(at('/webhooks'))
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    await page.getByLabel('Address').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Register' }).click()
    await isRefused('Address', /https/)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.2: a skeleton is not seen before 150 ms', async () => {
    const opacities = await page.evaluate<number[]>(`(() => {
      const skeleton = document.createElement('div')
      skeleton.className = 'animate-pulse'
      document.body.append(skeleton)
      return [100, 200].map((at) => {
        for (const animation of skeleton.getAnimations()) animation.currentTime = at
        return Number(getComputedStyle(skeleton).opacity)
      })
    })()`)
    assert.equal(opacities[0], 0)
    assert(opacities[1]! > 0.4)
  })

  test('console 1.2: a document that is not here is looked for in the other organizations', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/documents/${bill}`)
    await page.getByText('Not found in Practice Live Organization (live)').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: 'Practice Organization (sandbox)' }).press('Enter')
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
  })

  test('the proof is checked in the browser, and a key of another log is refused', async () => {
    await page.goto(at(`/documents/${bill}/provenance`))
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Valid', { exact: true }).waitFor()
    await page.getByText('the key of the service').waitFor()
    const { keys } = await get(practice.organization.api_key, '/v1/log/keys')
    await page.getByLabel('Key that you trust').fill(keys[0])
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('your key').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    // A sound verifier key, but of nobody who signs here.
    const other = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
    await page.getByLabel('Key that you trust').fill(other)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('It is of a log that is not trusted here.').waitFor()
  })

  test('a view is saved, opened again and deleted', async () => {
    await page.goto(at('/documents?view=received&type=invoice'))
    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByLabel('Name').fill('Bills')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.goto(at('/documents'))
    await page.getByRole('link', { name: 'Bills' }).click()
    await page.waitForURL((url) => String(url).includes('type=invoice'))
    await page.getByRole('button', { name: 'Delete the view Bills' }).click()
    await page.getByRole('button', { name: 'Save this view' }).waitFor()
    await until('no view is left', async () => {
      return (await page.getByRole('link', { name: 'Bills' }).count()) === 0
    })
  })

  test('preferences hold at once, and on another device', async () => {
    const keptWith = (choice: string) =>
      page.waitForResponse((one) => one.request().postData()?.includes(choice) === true)
    await page.goto(at('/settings'))
    const kept = Promise.all([keptWith('dark'), keptWith('compact')])
    await page.getByLabel('Colours').selectOption('dark')
    await page.getByLabel('Rows').selectOption('compact')
    for (const answer of await kept) assert.equal(answer.status(), 200)
    const shown = () => page.evaluate<string>('JSON.stringify(document.documentElement.dataset)')
    await until('it is dark and compact', async () => {
      const { scheme, density } = JSON.parse(await shown())
      return scheme === 'dark' && density === 'compact'
    })
    await page.evaluate('localStorage.removeItem("appearance")')
    await page.goto(at('/'))
    await until('the person is known', async () => JSON.parse(await shown()).scheme === 'dark')
  })

  test('the audit log says who did it, and links to nothing of keys', async () => {
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    await page.goto(at('/audit'))
    await page.getByText('Comment on a document').first().waitFor()
    await page.getByText('Change your preferences').first().waitFor()
    assert.equal(await page.getByText(/^Move a document/).count(), 0, 'a key did that')
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.2: the sessions show this device, and end another one at once', async () => {
    const other = await browser.newContext()
    const { page: elsewhere } = await watchedPage(other, baseUrl)
    await signIn(elsewhere, practice.organization.admin)
    await page.goto(at('/settings'))
    await page.getByRole('link', { name: 'Open your sessions' }).click()
    await page.getByText('This device').waitFor()
    await page.getByText('from 127.0.0.1').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'End Chrome on Linux' }).first().click()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('Chrome on Linux is signed out.').first().waitFor()
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.close()
  })

  test('console 1.2: all other sessions are ended, also those of programs; what is left is counted', async () => {
    const token = await openSession(practice.organization.admin)
    const endOthers = async (): Promise<void> => {
      await page.getByRole('button', { name: 'End all others' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click()
    }
    await page.goto(at('/sessions'))
    await page.getByRole('button', { name: 'End Command line (node)' }).first().waitFor()
    await whileNewestIsLocked(started, async () => {
      await endOthers()
      // One after it may wait for the same lock.
      await page
        .getByText(/signed out; \d sessions? (is|are) not\. Try again\.$/)
        .first()
        .waitFor()
    })
    await endOthers()
    await page
      .getByText(/^\d sessions? (is|are) signed out\.$/)
      .first()
      .waitFor()
    await until('this device is left', async () => {
      const sessions = await page.getByRole('row').count()
      return sessions === 2 && (await page.getByText('This device').count()) === 1
    })
    assert.equal((await callApi({ baseUrl }, 'GET', '/v1/me', { key: token })).status, 401)
    await page.getByText('You are signed in only here').waitFor()
  })

  const manyParties = { skip: skipsLong ?? false }

  test(
    'a party is named and offered also when a hundred connections are newer',
    manyParties,
    async () => {
      const session = await openSession(practice.organization.admin)
      const paid = await issueBill('Elm boards')
      const key = practice.organization.api_key
      await post(key, `/v1/documents/${paid}/transition`, { to: 'approved' })
      await post(key, `/v1/documents/${paid}/pay`)
      for (let i = 0; i < 100; i++)
        await post(session, '/v1/connections', { email: `partner-${i}@example.com` })
      await page.goto(at('/payments'))
      await page.getByRole('link', { name: 'To Demo Counterparty' }).waitFor()
      await page.goto(at('/documents'))
      await page.getByLabel('Party').selectOption('Demo Counterparty')
      await page.waitForURL((url) => String(url).includes(`connection=${practice.connection_id}`))
      await page.goto(at('/documents/new'))
      await page.getByLabel('Connection').selectOption('Demo Counterparty')
    },
  )

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
