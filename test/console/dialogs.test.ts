/** Every dialog of a live organization: accessible, and with the focus (console 1.3 and 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Locator, accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { liveOffice } from '../support/console/live-office.ts'
import { type LiveConsole, startLiveConsole } from '../support/console/live-organizations.ts'
import { overflowOf } from '../support/console/looks.ts'
import { showAs } from '../support/console/pictures.ts'
import type { RunningConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const isRun = skipsLong === undefined
const started = isRun ? await startLiveConsole() : ({} as LiveConsole)
const { console: running = {} as RunningConsole, live } = started
const { page, context, complaints } = running
const office = isRun ? await liveOffice(started) : undefined!
const { submitted, approved, draft, issued, endpoint } = office ?? {}

/** The buttons of each page that open a dialog, by their names. */
const openers: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  '/documents?query=Beams': ['Save this view', 'Issue…', 'Approve…'],
  [`/documents/${draft}`]: [/^Issue/],
  [`/documents/${submitted}`]: ['Approve…', 'Acknowledge…', 'Dispute…', 'Reject…'],
  [`/documents/${approved}`]: [/^Pay/, 'Dispute…'],
  [`/documents/${issued}`]: ['Cancel…'],
  '/payments': [/^Cancel/],
  '/approvals/rules': ['New rule', /^Test this rule/, /^Delete the rule/],
  '/connections': ['Invite', /^End connection with Practice Live/],
  '/keys': ['New key', 'Rotate ERP', 'Revoke ERP', /^End the grace of Shop/],
  '/webhooks': ['New endpoint'],
  [`/webhooks/${endpoint}`]: [
    'Send a sample…',
    'Recover…',
    'Edit…',
    'Rotate secret…',
    'Disable…',
    'Delete…',
  ],
  '/settings': ['Invite', 'Remove Alan', /^Revoke the invitation of/, 'Turn on…', 'Add a passkey'],
  '/sessions': ['New CLI token', 'End all others…', /^End .*, /],
  '/finance': ['Ask for a loan', /^Review the offer/, 'Withdraw…', /^You borrowed from /],
  '/events': ['document.created'],
  '/requests': [/^POST \/v1\//],
}

describe('every dialog', { skip: skipsLong ?? false }, () => {
  const dialog = () => page.getByRole('dialog')
  const hasFocus = () =>
    page.evaluate<boolean>(
      `document.querySelector('[role="dialog"]')?.contains(document.activeElement) === true`,
    )

  const opener = (name: string | RegExp): Locator =>
    page
      .getByRole('main')
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
  const press = (): Promise<unknown> => page.keyboard.press('Enter')

  /** What is wrong with the dialog that this control opens. */
  const problemsOf = async (
    opener: Locator,
    width: number,
    open: () => Promise<unknown> = press,
  ): Promise<string[]> => {
    await opener.focus()
    await page.evaluate('void (globalThis.openerOfDialog = document.activeElement)')
    await open()
    await until('a dialog has the focus', hasFocus)
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await showAs(page, { width, colorScheme })
      found.push(...(await accessibilityViolations(page)))
    }
    if ((await overflowOf(page)) > 0) found.push('is too wide')
    if (!(await hasFocus())) found.push('has lost the focus')
    await page.keyboard.press('Escape')
    await until('the dialog is closed', async () => (await dialog().count()) === 0)
    if (!(await page.evaluate<boolean>('document.activeElement === globalThis.openerOfDialog')))
      found.push('does not give the focus back')
    return found
  }

  for (const width of [1440, 390])
    test(`console 5: dialogs are accessible at ${width} px, and give the focus back`, async () => {
      await showAs(page, { width, colorScheme: 'light' })
      const found: string[] = []
      for (const [path, names] of Object.entries(openers)) {
        await page.goto(live(path))
        const [first = ''] = names
        await opener(first).waitFor()
        if (path.startsWith('/documents?')) {
          // Something has to be selected.
          await page
            .getByRole('link', { name: /^BILL-/ })
            .first()
            .waitFor()
          await page.keyboard.press('*')
        }
        for (const name of names) {
          const problems = await problemsOf(opener(name), width)
          found.push(...problems.map((problem) => `${path}, ${name}: ${problem}`))
        }
      }
      assert.deepEqual(found, [])
    })

  test('console 5: so are the choice of a role, leaving a form, the calls of a page and the keys', async () => {
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.goto(live('/settings'))
    const role = page.getByLabel('Role of Alan')
    assert.deepEqual(await problemsOf(role, 1440, () => role.selectOption('viewer')), [])
    await page.goto(live('/documents/new'))
    await page.getByLabel('Notes').fill('By the stairs')
    assert.deepEqual(await problemsOf(page.getByRole('link', { name: 'Payments' }), 1440), [])
    for (const name of [/^API calls/, /^Keyboard/, /^Search/])
      assert.deepEqual(await problemsOf(page.getByRole('button', { name }).first(), 1440), [])
  })

  test('a notice stands above the dialog that it comes from, and leaves it open', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(live('/requests'))
    for (const width of [1440, 390]) {
      await showAs(page, { width, colorScheme: 'light' })
      await opener(/^POST \/v1\//).click()
      await dialog()
        .getByRole('button', { name: /^Copy the request id/ })
        .click()
      const notice = page.getByRole('log').getByText('Copied the request id')
      await notice.waitFor()
      const covering = await page.evaluate<string>(`(() => {
        const notice = document.querySelector('[role="log"] > div')
        const { left, right, top, bottom } = notice.getBoundingClientRect()
        const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return notice.contains(above) ? '' : above.outerHTML
      })()`)
      assert.equal(covering, '')
      assert.deepEqual(await accessibilityViolations(page), [])
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await notice.waitFor({ state: 'hidden' })
      assert.equal(await hasFocus(), true, 'the dialog is still there, and has the focus')
      await page.keyboard.press('Escape')
      await until('the dialog is closed', async () => (await dialog().count()) === 0)
    }
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
