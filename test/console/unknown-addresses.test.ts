/** An address at which there is nothing: in the frame of the organization, with ways back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Page,
  accessibilityViolations,
  skipsLong,
  watchedPage,
} from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at } = started

/** No organization of the person has it. */
const stranger = 'org_01m8fa1yr5f3x9g3gdd516m7q8'

const isNotFound = (one: Page) =>
  one.getByRole('heading', { name: 'Page not found', exact: true }).waitFor()

describe('an unknown address', { skip: skipsLong ?? false }, () => {
  const inFrame = async (address: string): Promise<void> => {
    await page.goto(address)
    await isNotFound(page)
    await page.getByText('SANDBOX – payments are simulated').waitFor()
    await page.getByRole('link', { name: 'Payments' }).waitFor()
    await until('the title says both', async () =>
      /^\[SANDBOX\] Page not found · /.test(await page.title()),
    )
  }

  test('console 1.7: below an organization it has the band, the navigation and the title', async () => {
    for (const path of ['/nonsense', '/documents/new/nonsense', '/settings/a/b'])
      await inFrame(at(path))
    // An escape that is cut off, and one that is no text.
    for (const path of ['/%E0%A4%A', '/settings/%', '/nonsense/%ff?status=paid'])
      await inFrame(at(path))
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
  })

  test('outside of all organizations, and in one that is not the person’s, so it does', async () => {
    for (const path of ['/nonsense', '/o/org_x/nonsense', `/o/${stranger}/documents`, '/%E0%A4%A'])
      await inFrame(`${baseUrl}/app${path}`)
  })

  test('the ways back lead to the page before and to Home', async () => {
    await page.goto(at('/payments'))
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await inFrame(at('/nonsense'))
    await page.getByRole('button', { name: 'Go back' }).click()
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await inFrame(`${baseUrl}/app/nonsense`)
    await page.locator('main').getByRole('link', { name: 'Go to Home' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
  })

  test('whoever is not signed in is led to the sign-in, and from there to the address', async () => {
    const visitor = await watchedPage(await browser.newContext(), baseUrl)
    await visitor.page.goto(`${baseUrl}/app/nonsense`)
    await isNotFound(visitor.page)
    assert.equal(await visitor.page.getByText('SANDBOX').count(), 0)
    assert.deepEqual(await accessibilityViolations(visitor.page), [])
    await visitor.page.getByRole('link', { name: 'Sign in' }).click()
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await visitor.page.goto(at('/nonsense'))
    await visitor.page.getByLabel('E-mail').fill(practice.organization.admin.email)
    await visitor.page.getByLabel('Password').fill(practice.organization.admin.password)
    await visitor.page.getByRole('button', { name: 'Sign in' }).click()
    await isNotFound(visitor.page)
    await visitor.page.getByText('SANDBOX – payments are simulated').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
