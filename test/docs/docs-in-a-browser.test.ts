/**
 * The docs in a browser (clients.md 5): tabs, a call from the page, the keyboard, accessibility. No
 * request is intercepted.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import {
  type Page,
  accessibilityViolations,
  launchBrowser,
  missingBrowser,
  watchedPage,
} from '../support/console/browser.ts'
import { migratedDataDir } from '../support/database/server-template.ts'
import { cutInHeader, overflowOf } from '../support/console/looks.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { launchProgram, readyAddress } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Practice {
  organization: { api_key: string; admin: { email: string; password: string } }
  demo: { api_key: string }
  connection_id: string
}

const lacksPdftotext =
  !hasProgram('pdftotext') && 'pdftotext is not installed: apt-get install poppler-utils'

const screenshots = process.env['SCREENSHOTS']
const isLong = process.env['LONG'] === '1' || screenshots !== undefined

const startDocs = async () => {
  const dataDir = await migratedDataDir()
  const program = launchProgram({ DATA_DIR: dataDir, RATE_LIMITS: 'off', SANDBOX_STEP_MS: '1h' })
  const baseUrl = await readyAddress(program)
  const sandboxFile = join(dataDir, 'sandbox.json')
  const practice = JSON.parse(readFileSync(sandboxFile, 'utf8')) as Practice
  const browser = await launchBrowser()
  const context = await browser.newContext()
  const watched = await watchedPage(context, baseUrl)
  return { baseUrl, sandboxFile, practice, browser, context, ...watched }
}

const started = missingBrowser === undefined ? await startDocs() : undefined

describe('the docs in a browser', { skip: missingBrowser ?? false }, () => {
  const { baseUrl, sandboxFile, practice, browser, context, page, complaints } = started!
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))

  const open = async (at: Page, path: string): Promise<void> => {
    await at.goto(`${baseUrl}/v1/docs${path}`)
    await at.getByRole('heading', { name: /./ }).first().waitFor()
  }
  /** Opens the panel of an operation, and waits for it. */
  const openPanel = async (at: Page, path: string, operation: string) => {
    await open(at, path)
    const section = at.locator(`section[id="${operation}"]`)
    await section.getByRole('button', { name: 'Try it' }).click()
    await section.getByRole('button', { name: 'Send' }).waitFor()
    return section
  }
  const stored = (at: Page) =>
    at.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
  const forgetAll = (at: Page) => at.evaluate('sessionStorage.clear()')

  const shownPages = { front: '', reference: '/reference-keys', guide: '/guide-approve-and-pay' }

  test('the language is chosen once, with the keyboard, and remembered on other pages', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await open(page, '/reference-documents')
    const curl = page.getByRole('radio', { name: 'curl' }).first()
    await curl.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    assert(await page.getByRole('radio', { name: 'Python' }).first().isChecked())
    assert(await page.getByText('docex.documents.pay(').last().isVisible())
    assert.equal(await page.getByText('await docex.documents.pay(').first().isVisible(), false)
    await open(page, '/guide-quote-to-cash')
    assert(await page.getByRole('radio', { name: 'Python' }).first().isChecked())
    assert(await page.getByText('docex.documents.create(').last().isVisible())
  })

  test('the search box finds a page with the keyboard, and opens it', async () => {
    await open(page, '')
    await page.keyboard.press('/')
    await page.keyboard.type('xyzzy')
    await page.getByText('Nothing found.').waitFor()
    await page.getByLabel('Search the docs').fill('idempotency')
    const [first, second] = [page.locator('#found-0'), page.locator('#found-1')]
    await second.waitFor()
    await page.keyboard.press('ArrowDown')
    assert.equal(await second.getAttribute('aria-selected'), 'true')
    await page.keyboard.press('ArrowUp')
    const address = (await first.locator('a').getAttribute('href'))!
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.endsWith(address))
    await page
      .getByRole('heading', { name: /idempotency/i })
      .first()
      .waitFor()
  })

  test('the button of a block copies exactly its text', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, '')
    const block = page.locator('main .block').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.equal(copied, await block.locator('pre').innerText())
    assert(copied.includes('export API_KEY='), copied)
  })

  test('no page is wider than a screen of 1920 px', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 })
    for (const path of Object.values(shownPages)) {
      await open(page, path)
      assert.equal(await overflowOf(page), 0, path)
    }
  })

  test('without scripts every language can be read', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const visit = await plain.newPage()
    await visit.goto(`${baseUrl}/v1/docs/reference-keys`)
    const section = visit.locator('section[id="keys.create"]')
    for (const [label, text] of [
      ['curl', 'curl -X POST'],
      ['TypeScript', 'await docex.keys.create('],
      ['Python', 'from os import environ'],
      ['CLI', 'docex keys create'],
      ['MCP tool', '"keys_create"'],
    ] as const) {
      await section.locator('.choices').getByText(label).click()
      await section.getByText(text).first().waitFor()
    }
    assert.equal(await visit.getByRole('button', { name: 'Try it' }).count(), 0)
    await plain.close()
  })

  test('a call from the page is made with a key of sandbox.json, and has its effect', async () => {
    const section = await openPanel(page, '/reference-documents', 'documents.create')
    await section.locator('input[type=file]').setInputFiles(sandboxFile)
    await section.getByText('Act with').waitFor()
    const body = await section.locator('textarea').inputValue()
    assert.equal((JSON.parse(body) as Practice).connection_id, practice.connection_id)
    await section.locator('textarea').press('Control+Enter')
    await section.getByText(/^201 in \d+ ms · req_/).waitFor()
    const shown = JSON.parse(await section.locator('.panel pre').innerText()) as { id: string }
    const { body: document } = await callApi({ baseUrl }, 'GET', `/v1/documents/${shown.id}`, {
      key: practice.organization.api_key,
    })
    assert.equal(document.status, 'draft')
    assert.equal(document.total, 1088.93)
  })

  test('a dry run changes nothing, and a refusal is shown as it is', async () => {
    const section = await openPanel(page, '/reference-documents', 'documents.create')
    await section.getByText('Dry run').click()
    await section.getByRole('button', { name: 'Send' }).click()
    await section.getByText(/^200 in/).waitFor()
    assert.match(await section.locator('.panel pre').innerText(), /"number": null/)
    await section.locator('textarea').fill('{ "document_type": "bill" }')
    await section.getByRole('button', { name: 'Send' }).click()
    await section.getByText(/^400 in/).waitFor()
    assert.match(await section.locator('.panel pre').innerText(), /"invalid_request"/)
    await section.locator('textarea').fill('{')
    await section.getByRole('button', { name: 'Send' }).click()
    await section.getByText('The body is not JSON').waitFor()
  })

  test('the key stays in the tab until it is forgotten', async () => {
    const [local = '', session = ''] = (JSON.parse(await stored(page)) as object[]).map((one) =>
      JSON.stringify(one),
    )
    assert.doesNotMatch(local, /r[ks]_test_/)
    assert.match(session, /rk_test_/)
    const other = await watchedPage(context, baseUrl)
    const section = await openPanel(other.page, '/reference-account', 'me.get')
    await section.getByText('Paste a key').waitFor()
    assert.doesNotMatch(await stored(other.page), /r[ks]_test_/)
    await other.page.close()
    const own = await openPanel(page, '/reference-account', 'me.get')
    await own.getByRole('button', { name: 'Forget' }).click()
    assert.doesNotMatch(await stored(page), /r[ks]_test_/)
    await own.getByText('Paste a key').waitFor()
  })

  test('a live key is refused before it is kept or sent', async () => {
    await forgetAll(page)
    const section = await openPanel(page, '/reference-account', 'me.get')
    asked.length = 0
    const input = section.locator('input[type=password]')
    await input.fill('rk_live_dx1_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMN')
    await input.press('Enter')
    await section.getByText('That is a live credential.').waitFor()
    assert.equal(await input.inputValue(), '')
    await section.getByRole('button', { name: 'Send' }).click()
    await section.getByText('Paste a practice key first.').waitFor()
    assert.deepEqual(asked, [])
    assert.doesNotMatch(await stored(page), /rk_live_/)
  })

  test('an open session of the console makes calls that are for people', async () => {
    await forgetAll(page)
    await open(page, '/reference-keys')
    const signIn = JSON.stringify({ ...practice.organization.admin, client: 'browser' })
    await page.evaluate(`fetch('/auth/sessions', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(signIn)},
    }).then(() => localStorage.setItem('signed-in', '1'))`)
    const section = await openPanel(page, '/reference-keys', 'keys.list')
    await section.getByRole('button', { name: 'Use my console session' }).click()
    await section.getByText('Act with').waitFor()
    await section.getByRole('button', { name: 'Send' }).click()
    await section.getByText(/^200 in/).waitFor()
    assert.doesNotMatch(await stored(page), /rs_test_/)
  })

  test('with the keyboard alone, a panel opens, sends and shows its response', async () => {
    await forgetAll(page)
    await open(page, '/reference-account#enablement.get')
    const section = page.locator('section[id="enablement.get"]')
    await section.getByRole('button', { name: 'Try it' }).focus()
    await page.keyboard.press('Enter')
    await section.getByRole('button', { name: 'Send' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await section.getByText(/^200 in/).waitFor()
    await section.getByRole('button', { name: 'Try it' }).focus()
    await page.keyboard.press('Enter')
    assert.equal(await section.getByRole('button', { name: 'Send' }).isVisible(), false)
  })

  test('a printed page has its text, and nothing to click', { skip: lacksPdftotext }, async () => {
    await open(page, '/guide-approve-and-pay')
    const linesOf = (text: string) => text.split('\n').map((line) => line.trim())
    const shown = async (part: string) => linesOf(await page.locator(part).first().innerText())
    const content = new Set(await shown('main'))
    const places = (await shown('nav')).filter((one) => one.length > 3 && !content.has(one))
    assert(places.length > 10)
    const file = join(temporaryFolder(), 'page.pdf')
    await page.pdf({ path: file })
    const text = execFileSync('pdftotext', [file, '-'], { encoding: 'utf8' })
    for (const words of ['Approve and pay', 'Approve the bill', 'approval_required']) {
      assert(text.includes(words), words)
    }
    const lines = new Set(linesOf(text))
    assert.deepEqual(
      ['Search', 'Try it', 'curl', 'Python', 'MCP tool', 'Next', ...places].filter((one) =>
        lines.has(one),
      ),
      [],
    )
  })

  for (const [i, width] of [1280, 390].entries()) {
    for (const [k, colorScheme] of (['light', 'dark'] as const).entries()) {
      // The short suite sees each width and each scheme once.
      if (!isLong && i !== k) continue
      test(`pages are accessible at ${width} px in the ${colorScheme} scheme`, async () => {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const found: string[] = []
        for (const [name, path] of Object.entries(shownPages)) {
          if (name === 'reference') await openPanel(page, path, 'keys.get')
          else await open(page, path)
          const violations = await accessibilityViolations(page)
          found.push(...violations.map((violation) => `${name}: ${violation}`))
          const overflow = await overflowOf(page)
          if (overflow > 0) found.push(`${name}: is ${overflow} px wider than the screen`)
          if (screenshots === undefined) continue
          await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) })
        }
        assert.deepEqual(found, [])
      })
    }
  }

  test('on a phone the title and the search box are whole, and the icon is there', async () => {
    await page.setViewportSize({ width: 390, height: 900 })
    await open(page, '')
    assert.deepEqual(await cutInHeader(page), [])
    const icon = (await page.locator('link[rel="icon"]').getAttribute('href'))!
    const { status, headers } = await fetch(new URL(icon, baseUrl))
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml'])
  })

  test('no page has complained, and none has asked another host', () => {
    assert.deepEqual(complaints, [])
  })
})
