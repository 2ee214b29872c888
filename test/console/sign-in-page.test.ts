/** The pages before one is signed in (console 2.3 and 5.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { accessibilityViolations, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { endWaits } from '../support/identity/sign-in-waits.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { browser, baseUrl, practice } = started

describe('before one is signed in', { skip: missingBrowser ?? false }, () => {
  test('console 2.3: where the practice account is stands on the machine of the service alone', async () => {
    const visitor = await browser.newContext()
    const { page } = await watchedPage(visitor, baseUrl)
    const hint = page.getByText('First start on this machine?')
    await page.goto(`${baseUrl}/app/sign-in`)
    await hint.waitFor()
    // Chromium resolves it to the same address, as a name that is not this machine's own.
    await page.goto(`${baseUrl.replace('localhost', 'exchange.localhost')}/app/sign-in`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    assert.equal(await hint.count(), 0)
    await visitor.close()
  })

  test('console 1.2: whoever is led to the sign-in reads that one goes on from there', async () => {
    const visitor = await browser.newContext()
    const { page } = await watchedPage(visitor, baseUrl)
    await page.goto(`${baseUrl}/app/o/${practice.organization.id}/payments`)
    await page.getByText('You go on where you were').waitFor()
    await page.goto(`${baseUrl}/app/sign-in`)
    await page.getByText(/^To the Document Exchange at /).waitFor()
    await visitor.close()
  })

  test('console 5.2: after wrong passwords the sign-in counts down, also for the right one, which works then', async () => {
    const database = await openTestConnection(practice.database_url, 'a test')
    const visitor = await browser.newContext()
    const visit = await watchedPage(visitor, baseUrl)
    const { email, password } = practice.organization.admin
    await visit.page.goto(`${baseUrl}/app/sign-in`)
    await visit.page.getByLabel('E-mail').fill(email)
    const statusWith = async (tried: string): Promise<number> => {
      await visit.page.getByLabel('Password').fill(tried)
      const [answer] = await Promise.all([
        visit.page.waitForResponse((one) => one.request().postData()?.includes(tried) === true),
        visit.page.getByRole('button', { name: 'Sign in', exact: true }).click(),
      ])
      return answer.status()
    }
    for (let i = 0; i < limits.signInFailuresFree; i++) {
      await endWaits({ database })
      assert.equal(await statusWith(`a wrong password ${i}`), 401)
    }
    assert.equal(await statusWith(password), 429)
    await visit.page.getByText('Too many sign-ins have failed').waitFor()
    await visit.page.getByText(/^The service takes more in [1-5] seconds?\.$/).waitFor()
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await visit.page.getByText('The service takes more now.').waitFor()
    assert.equal(await statusWith(password), 201)
    await visit.page.waitForURL(/\/app\/o\//)
    assert.deepEqual(visit.complaints, [])
    await visitor.close()
    await database.close()
  })
})
