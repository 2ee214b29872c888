/** Every page in every appearance: accessible, and whole (console 1.3 and 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Page,
  accessibilityViolations,
  launchBrowser,
  missingBrowser,
  watchedPage,
} from '../support/console/browser.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import {
  brokenBoxes,
  lostFills,
  markFills,
  overflowOf,
  unseenFocus,
} from '../support/console/looks.ts'
import { allAppearances, picture, screenshots, showAs } from '../support/console/pictures.ts'
import { openPage, routesOf } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const isLong = process.env['LONG'] === '1'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, page, complaints, at, signIn } = started
const office = missingBrowser === undefined ? await busyOffice(started) : undefined
const routes = routesOf(office ?? {})

/** Seen by whoever is not signed in, too. */
const setups = ['setup', 'setup#t=st_unknown']
const outside = ['sign-in', 'sign-in/link', ...setups, 'link', 'invitation', 'device']

const moreRoutes = {
  ...routes,
  edit: `/documents/${office?.draft}/edit`,
  missing: '/documents/doc_01m8fa1yr5f3x9g3gdd516m7q8',
  ...Object.fromEntries(outside.map((path) => [path, `${baseUrl}/app/${path}`])),
}

/** A page of each kind: charts, a list, one record, a form, settings, and what is outside. */
const kinds = ['home', 'documents', 'document', 'draft', 'settings', 'sign-in']

/** What is looked for besides accessibility depends on the kind of page; `LONG=1` sees each. */
const someRoutes = (isLong ? Object.keys(moreRoutes) : kinds).map(
  (name): [name: string, path: string] => [name, moreRoutes[name as keyof typeof moreRoutes]],
)

const open = (page: Page, name: string, path: string): Promise<void> =>
  openPage(page, name, path.startsWith('/') ? at(path) : path)

/** Of another sign-in: with each page that it opens, a browser comes nearer to its most tokens. */
const freshPage = async (browser = started.browser) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const watched = await watchedPage(context, baseUrl)
  await signIn(watched.page, practice.organization.admin)
  return watched
}

/** What is wrong where the page itself doubles its text, as an extension of the browser does. */
const enlarged = async (page: Page): Promise<string[]> => {
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
  const overflow = await overflowOf(page)
  const found = await brokenBoxes(page)
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  return overflow > 0 ? [...found, `is ${overflow} px too wide`] : found
}

const of = (name: string) => (problem: string) => `${name}: ${problem}`

const skipsPictures = screenshots ? false : 'runs with SCREENSHOTS=1'

describe('every page', { skip: missingBrowser ?? false }, () => {
  /** Otherwise each page is seen in one appearance. */
  const showsAll = isLong || screenshots

  /** As narrow as WCAG 1.4.10 asks for, which is 1280 px at 400 %. */
  const narrowest = { width: 320, colorScheme: 'light' } as const

  const shown = showsAll ? allAppearances : allAppearances.slice(0, 2)
  const appearances = isLong ? [...shown, narrowest] : shown

  for (const [turn, { width, colorScheme }] of appearances.entries()) {
    const isShown = (_: unknown, i: number) => showsAll || i % appearances.length === turn
    test(`pages are accessible at ${width} px in the ${colorScheme} scheme`, async () => {
      await showAs(page, { width, colorScheme })
      const found: string[] = []
      for (const [name, path] of Object.entries(routes).filter(isShown)) {
        await open(page, name, path)
        const violations = await accessibilityViolations(page)
        found.push(...violations.map((violation) => `${name}: ${violation}`))
        const overflow = await overflowOf(page)
        if (overflow > 0) found.push(`${name}: is ${overflow} px wider than the screen`)
        assert.match(await page.title(), /^\[SANDBOX\] /)
        const band = await page.getByText('SANDBOX – payments are simulated').isVisible()
        if (!band) found.push(`${name}: does not say that it is a sandbox`)
        if (width === narrowest.width) found.push(...(await brokenBoxes(page)).map(of(name)))
        // Before its text is enlarged, which some browsers do not quite undo.
        else await picture(page, name, [{ width, colorScheme }])
        if (width !== 1440) continue
        await showAs(page, { width, colorScheme })
        found.push(...(await enlarged(page)).map(of(`${name}, enlarged`)))
      }
      assert.deepEqual(found, [])
    })
  }

  test('WCAG 1.4.4: text of twice the size is neither clipped nor upon other text', async () => {
    // What a person chooses in the settings of the browser.
    const { page, complaints } = await freshPage(
      await launchBrowser(['--blink-settings=defaultFontSize=32']),
    )
    const size = await page.evaluate<string>('getComputedStyle(document.body).fontSize')
    assert.equal(size, '28px')
    const found: string[] = []
    for (const [name, path] of someRoutes) {
      await open(page, name, path)
      const overflow = await overflowOf(page)
      if (overflow > 0) found.push(`${name}: is ${overflow} px wider than the screen`)
      found.push(...(await brokenBoxes(page)).map((problem) => `${name}: ${problem}`))
    }
    assert.deepEqual(found, [])
    assert.deepEqual(complaints, [])
  })

  test('forced colours: focus, controls and what is current are seen by their edges', async () => {
    const { page } = await freshPage()
    const colours = (forcedColors: 'active' | 'none') =>
      page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors })
    await showAs(page, { width: 1440, colorScheme: 'light' })
    const found: string[] = []
    for (const [name, path] of someRoutes) {
      await open(page, name, path)
      await markFills(page)
      await colours('active')
      // From now on, the browser shows where the focus is.
      await page.keyboard.press('Shift')
      const lost = [...(await lostFills(page)), ...(await unseenFocus(page))]
      if (isLong) lost.push(...(await accessibilityViolations(page)))
      found.push(...lost.map((problem) => `${name}: ${problem}`))
      await colours('none')
    }
    assert.deepEqual(found, [])
  })

  test('pictures of what needs a step', { skip: skipsPictures }, async () => {
    const { page } = await freshPage()
    const showPdf = page.getByRole('button', { name: 'Show PDF' })
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      await open(page, 'document', routes.document)
      await showPdf.click()
      await page.locator('iframe[title^="PDF of"]').waitFor()
      // The browser does not say when it has drawn a PDF.
      await page.evaluate('new Promise((done) => setTimeout(done, 1500))')
      await picture(page, 'document-pdf', [appearance])
      await showAs(page, appearance)
      await open(page, 'proof', routes.proof)
      await page.getByRole('region', { name: /^What led to it/ }).waitFor()
      await page.evaluate(`document.querySelector('[aria-label^="What led"]').scrollIntoView()`)
      await picture(page, 'lineage', [appearance])
      await showAs(page, appearance)
      await open(page, 'requests', '/requests?status=404&path=/v1/documents/*')
      await page.getByRole('region', { name: 'Calls by day' }).waitFor()
      await picture(page, 'requests-filtered', [appearance])
      await showAs(page, appearance)
      await page.goto(`${baseUrl}/app/o/${practice.live.id}${routes.document}`)
      await page.getByText('It may belong to another organization').waitFor()
      await picture(page, 'missing-record', [appearance])
    }
  })

  test('no page has complained, and none has asked another host', () => {
    assert.deepEqual(complaints, [])
  })
})
