/** What may not be missing is loaded before it is needed: a secret shown once (console 1.4). */
import assert from 'node:assert/strict'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { withSlowLine } from '../support/console/slow-line.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, consoleDist, at, signIn, issueBill, restart } = started

/** A browser that has loaded nothing but Home, and what it asks the service for. */
const freshBrowser = async () => {
  const context = await browser.newContext()
  const { page } = await watchedPage(context, baseUrl)
  await signIn(page, practice.organization.admin)
  const asked: string[] = []
  const answered: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('response', (response) => answered.push(response.url()))
  return { context, page, asked, answered }
}

const isScript = (url: string): boolean => url.includes('/app/assets/')

interface Secret {
  /** To its page. */
  links: readonly string[]
  opener: string | RegExp
  fields?: Readonly<Record<string, string>>
  verb: string | RegExp
  title: string | RegExp
  done: string
}

const stored = 'I have stored it'

/** In this order: the key is made before it is rotated. */
const secrets: readonly Secret[] = [
  {
    links: ['Keys'],
    opener: 'New key',
    fields: { Name: 'Till' },
    verb: 'Create key',
    title: 'Your new key',
    done: stored,
  },
  {
    links: ['Keys'],
    opener: 'Rotate Till',
    verb: 'Rotate Till',
    title: 'Your new key',
    done: stored,
  },
  {
    links: ['Webhooks'],
    opener: 'New endpoint',
    fields: { Address: 'http://127.0.0.1:9000/' },
    verb: 'Register',
    title: 'Signing secret',
    done: stored,
  },
  {
    links: ['Settings'],
    opener: 'Invite',
    fields: { 'E-mail': 'grace@example.com' },
    verb: 'Create invitation',
    title: /^Invitation of grace/,
    done: 'Done',
  },
  {
    links: ['Settings', 'Open your sessions'],
    opener: 'New CLI token',
    verb: 'Create token',
    title: 'CLI token',
    done: stored,
  },
]

describe('what is loaded beforehand', { skip: skipsLong ?? false }, () => {
  const firstButton = { exact: true } as const

  for (const { links, opener, fields = {}, verb, title, done } of secrets)
    test(`console 1.4: from “${verb}” to the secret, no script is asked for`, async () => {
      const { context, page, asked } = await freshBrowser()
      // Within the console, so that Back leads to another page of it.
      await page.goto(at('/documents'))
      for (const name of links) await page.getByRole('link', { name, exact: true }).click()
      await page
        .getByRole('button', { name: opener, ...firstButton })
        .first()
        .click()
      const dialog = page.getByRole('dialog')
      for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text)
      const send = dialog.getByRole('button', { name: verb, ...firstButton })
      await send.waitFor()
      asked.length = 0
      // Back would lose what the answer shows once.
      await withSlowLine(context, page, async () => {
        await send.click()
        await page.evaluate('history.back()')
        await page
          .getByText(/^Wait for the answer/)
          .first()
          .waitFor()
        await page.getByRole('dialog', { name: title }).waitFor()
      })
      assert.deepEqual(asked.filter(isScript), [])
      await page.getByRole('button', { name: done, ...firstButton }).click()
      await context.close()
    })

  test('console 1.4: so it is for the new secret of an endpoint', async () => {
    const { context, page, asked } = await freshBrowser()
    await page.goto(at('/webhooks'))
    await page.getByRole('link', { name: 'http://127.0.0.1:9000/' }).click()
    await page.getByRole('button', { name: 'Rotate secret…' }).click()
    const send = page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' })
    await send.waitFor()
    asked.length = 0
    await send.click()
    await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
    assert.deepEqual(asked.filter(isScript), [])
    await page.getByRole('button', { name: stored }).click()
    await context.close()
  })

  test('a form with changes asks before it is left, offline too', async () => {
    const { context, page, answered } = await freshBrowser()
    await page.goto(at('/documents/new'))
    await page.getByLabel('Notes').fill('By the stairs')
    await until('the question is loaded', () =>
      answered.some((url) => url.includes('/leave-dialog-')),
    )
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Payments' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Go on editing' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Notes').inputValue(), 'By the stairs')
    await context.close()
  })

  test('a part that the service no longer has offers to reload the page, which stays till then', async () => {
    const dist = temporaryFolder()
    cpSync(consoleDist, dist, { recursive: true })
    for (const part of globSync(join(dist, 'assets/list-beside-*'))) rmSync(part)
    const { context, page } = await freshBrowser()
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.goto(at(`/documents/${await issueBill('Oak boards')}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await restart({ CONSOLE_DIR: dist })
    await page.keyboard.press('l')
    const alert = page.getByRole('alert')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.getByText(/newer version/).waitFor()
    await page.getByText('Oak boards').waitFor()
    await restart({})
    await alert.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('navigation', { name: /^List: / }).waitFor()
    await context.close()
  })
})
