/** Every control of every page, for every role (console 5.17): none is dead, and nothing breaks. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Page, missingBrowser, skipsLong, watchedPage } from '../support/console/browser.ts'
import { hasLoaded } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const isLong = process.env['LONG'] === '1'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, issueBill, addMember, signIn } = started

const roles = ['owner', 'admin', 'developer', 'finance', 'approver', 'viewer'] as const

/** The one that may least; `LONG=1` has all of them, and clicks on every page. */
const clickingRoles: readonly string[] = isLong ? roles : ['viewer']

const effectMs = 4_000

/**
 * Clicks the next button that has not been clicked, and answers its name and what it did: nothing
 * is an error, unless it says why it cannot be used.
 */
const clickNext = (clicked: readonly string[]): string => `(async () => {
  const clicked = ${JSON.stringify(clicked)}
  const nameOf = (one) => (one.getAttribute('aria-label') ?? one.innerText).trim()
  const button = [...document.querySelectorAll('main button, main summary')].find(
    (one) => one.checkVisibility({ visibilityProperty: true }) && !clicked.includes(nameOf(one)))
  if (button === undefined) return null
  const name = nameOf(button)
  if (button.getAttribute('aria-disabled') === 'true') {
    const reason = document.getElementById(button.getAttribute('aria-describedby'))
    return { name, effect: reason?.innerText ? 'refused' : 'refused without a reason' }
  }
  const seen = Promise.withResolvers()
  const observer = new MutationObserver(() => seen.resolve('changed'))
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  const field = [...document.querySelectorAll('input[type=file]')]
  for (const one of field) one.addEventListener('click', () => seen.resolve('asked for a file'))
  const calls = new PerformanceObserver(() => seen.resolve('called'))
  calls.observe({ type: 'resource' })
  window.print = () => seen.resolve('asked to print')
  setTimeout(() => seen.resolve('dead'), ${effectMs})
  button.click()
  const effect = await seen.promise
  observer.disconnect()
  calls.disconnect()
  return { name, effect }
})()`

/** Where nothing is open, the key would leave the page of a document for the list. */
const closeOverlay = async (page: Page): Promise<boolean> => {
  const isOpen = `document.querySelector('${overlays}') !== null`
  if (!(await page.evaluate<boolean>(isOpen))) return true
  await page.keyboard.press('Escape')
  return page.evaluate<boolean>(`new Promise((done) => {
    const endsAt = performance.now() + 1_000
    const look = () => {
      const isLate = performance.now() > endsAt
      if (isLate || !(${isOpen})) done(!(${isOpen}))
      else requestAnimationFrame(look)
    }
    look()
  })`)
}

const overlays = '[role=dialog],[role=alertdialog],[role=menu],[role=listbox]'

const places = [
  'Documents',
  'Payments',
  'Approvals',
  'Treasury',
  'Finance',
  'Connections',
  'Keys',
  'Webhooks',
  'Events',
  'Requests',
  'Settings',
]

describe('every page of an empty organization, and offline', { skip: skipsLong ?? false }, () => {
  const { context, page, complaints } = started

  test('a page without anything to show says what would be there', async () => {
    for (const place of ['', ...places]) {
      await page.goto(`${baseUrl}/app/o/${practice.live.id}/${place.toLowerCase()}`)
      await page.getByRole('heading', { name: /./ }).first().waitFor()
      await hasLoaded(page, place)
      assert.equal(await page.getByRole('alert').count(), 0, `${place} fails`)
      const text = await page.getByRole('main').innerText()
      assert(text.split(/\s+/).length > 8, `${place} says only: ${text}`)
    }
    assert.deepEqual(complaints, [])
  })

  test('offline, a page that was not read yet says so, and one that was stays', async () => {
    await page.goto(at('/documents'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await context.setOffline(true)
    for (const place of places.slice(1)) {
      await page.getByRole('link', { name: place, exact: true }).click()
      await page.getByRole('main').getByText('The service cannot be reached').first().waitFor()
    }
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await context.setOffline(false)
  })
})

describe('every control for every role', { skip: missingBrowser ?? false }, async () => {
  const bill = missingBrowser === undefined ? await issueBill('Oak boards') : ''
  const paths = [
    '/',
    '/documents',
    `/documents/${bill}`,
    `/documents/${bill}/provenance`,
    '/documents/new',
    '/payments',
    '/approvals',
    '/approvals/rules',
    '/treasury',
    '/finance',
    '/connections',
    '/keys',
    '/webhooks',
    '/events',
    '/requests',
    '/settings',
    '/audit',
    '/sessions',
  ]

  /** One page of each kind: charts, a list, one record, a form, what belongs to a person. */
  const kinds = ['/', '/documents', `/documents/${bill}`, '/documents/new', '/settings', '/keys']
  const clickedPaths = isLong ? paths : kinds

  for (const role of clickingRoles)
    test(`console 5.17: ${role}`, async () => {
      const person = { email: `${role}@example.com`, password: 'a long enough passphrase' }
      if (role !== 'owner') await addMember(person, role)
      const context = await browser.newContext()
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const { page, complaints } = await watchedPage(context, baseUrl)
      page.on('response', (response) => {
        if (response.status() >= 500) complaints.push(`${response.status()} of ${response.url()}`)
      })
      await page.setViewportSize({ width: 1440, height: 900 })
      await signIn(page, role === 'owner' ? practice.organization.admin : person)
      const found: string[] = []
      for (const path of clickedPaths) {
        const open = async () => {
          await page.goto(at(path))
          await page.getByRole('heading', { name: /./ }).first().waitFor()
          await hasLoaded(page, path)
        }
        await open()
        const dead = await page.evaluate<string[]>(
          `[...document.querySelectorAll('a')].filter((a) => !a.getAttribute('href')).map((a) => a.innerText)`,
        )
        found.push(...dead.map((name) => `${role}, ${path}: the link ${name} leads nowhere`))
        const clicked: string[] = []
        for (;;) {
          // What is below something that is still loaded cannot be seen yet.
          await hasLoaded(page, path)
          const outcome = await page.evaluate<{ name: string; effect: string } | null>(
            clickNext(clicked),
          )
          if (outcome === null) break
          const { name, effect } = outcome
          clicked.push(name)
          if (effect === 'dead' || effect === 'refused without a reason')
            found.push(`${role}, ${path}: ${name} is ${effect}`)
          const isClosed = await closeOverlay(page)
          const stays = new URL(page.url()).pathname === new URL(at(path)).pathname
          if (!stays || !isClosed) await open()
        }
      }
      assert.deepEqual(found, [])
      assert.deepEqual(complaints, [])
      await context.close()
    })
})
