/** The console in Debian's Chromium, against a real service. No request is intercepted. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after } from 'node:test'
import { inTime, stuckAfterMs } from '../until.ts'
import { sharedBrowser } from './shared-browser.ts'

const consoleFolder = join(import.meta.dirname, '../../../console')
export const chromium = '/usr/bin/chromium'

/** Why the tests of the console cannot run here; undefined when they can. */
export const missingBrowser = existsSync(chromium)
  ? undefined
  : 'Chromium is not installed: apt-get install chromium'

/** Why a test that takes long is skipped: the short suite keeps a handful (console 5). */
export const skipsLong =
  missingBrowser ?? (process.env['LONG'] === '1' ? undefined : 'runs with LONG=1')

/** The parts of playwright-core that the tests use; the package belongs to the console. */
interface Response {
  status(): number
  request(): { postData(): string | null }
}

export interface Page {
  setDefaultTimeout(ms: number): void
  goto(url: string): Promise<unknown>
  waitForURL(url: RegExp | ((url: URL) => boolean)): Promise<void>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: {
    colorScheme: 'light' | 'dark'
    media?: 'print' | 'screen'
    reducedMotion?: 'reduce'
    forcedColors?: 'active' | 'none'
  }): Promise<void>
  evaluate<Result>(script: string): Promise<Result>
  pdf(options: { path: string }): Promise<unknown>
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>
  getByLabel(label: string | RegExp): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  locator(selector: string, options?: { hasText: string }): Locator
  clock: {
    install(): Promise<void>
    fastForward(ms: number): Promise<void>
    pauseAt(time: number): Promise<void>
    runFor(ms: number): Promise<void>
  }
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  waitForEvent(event: 'download'): Promise<Download>
  waitForResponse(isAwaited: (response: Response) => boolean): Promise<Response>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  on(event: 'request', listener: (request: { url(): string; method(): string }) => void): void
  on(event: 'response', listener: (response: { url(): string; status(): number }) => void): void
  pdf(options?: object): Promise<Buffer>
  title(): Promise<string>
  url(): string
  close(): Promise<void>
}

interface Download {
  path(): Promise<string>
  suggestedFilename(): string
}

export interface Locator {
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByLabel(label: string | RegExp): Locator
  inputValue(): Promise<string>
  press(key: string): Promise<void>
  setInputFiles(files: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  getByText(text: string | RegExp): Locator
  locator(selector: string): Locator
  fill(text: string): Promise<void>
  selectOption(value: string): Promise<unknown>
  click(options?: { clickCount?: number }): Promise<void>
  waitFor(options?: { state: 'attached' | 'visible' | 'hidden' }): Promise<void>
  first(): Locator
  last(): Locator
  count(): Promise<number>
  innerText(): Promise<string>
  allTextContents(): Promise<string[]>
  isVisible(): Promise<boolean>
  isChecked(): Promise<boolean>
  inputValue(): Promise<string>
  press(key: string): Promise<void>
  setInputFiles(path: string): Promise<void>
  getAttribute(name: string): Promise<string | null>
  focus(): Promise<void>
}

interface DevTools {
  send(method: string, parameters?: object): Promise<unknown>
}

export interface Context {
  newPage(): Promise<Page>
  newCDPSession(page: Page): Promise<DevTools>
  setOffline(isOffline: boolean): Promise<void>
  addInitScript(script: string): Promise<void>
  grantPermissions(permissions: string[]): Promise<void>
  close(): Promise<void>
}

interface Browser {
  newContext(options?: object): Promise<Context>
  newBrowserCDPSession(): Promise<DevTools>
  close(): Promise<void>
}

interface Playwright {
  chromium: {
    launch(options: object): Promise<Browser>
    connectOverCDP(address: string, options: object): Promise<Browser>
  }
}

const fromConsole = createRequire(join(consoleFolder, 'package.json'))

/** Installs and builds the console, unless that has been done. */
export const buildConsole = (): string => {
  const script = join(import.meta.dirname, '../../../scripts/ensure-console')
  const { status, stderr } = spawnSync('sh', [script], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return join(consoleFolder, 'dist')
}

/** Those that Playwright disables, which a list of one's own replaces. */
const disabledByPlaywright = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Pages below the address bar, which nobody sees here: with each start they cost 0.9 s of CPU. */
const suggestions = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

const quiet = [
  `--disable-features=${[...disabledByPlaywright, ...suggestions].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
]

/** The browser of this process; one of its own for whoever needs other settings. */
export const launchBrowser = async (more: readonly string[] = []): Promise<Browser> => {
  const playwright = fromConsole('playwright-core') as Playwright
  const browser =
    more.length > 0
      ? await playwright.chromium.launch({ executablePath: chromium, args: [...quiet, ...more] })
      : await playwright.chromium.connectOverCDP(await sharedBrowser([chromium, ...quiet]), {
          isLocal: true,
        })
  after(() => browser.close())
  return browser
}

/** A page that fails the test by what it complains about, or by a request to another host. */
export const watchedPage = async (context: Context, baseUrl: string) => {
  const page = await context.newPage()
  // Its own half a minute has run out on a busy machine.
  page.setDefaultTimeout(stuckAfterMs)
  const complaints: string[] = []
  page.on('console', (message) => {
    // A refusal that the page shows is not a complaint about the page.
    const isRefusal = message.text().includes('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(baseUrl) || /^(data|blob):/.test(request.url())
    // The PDF viewer is a part of the browser.
    const isOfBrowser = /^chrome(-extension)?:/.test(request.url())
    if (!isOwn && !isOfBrowser) complaints.push(`requested ${request.url()}`)
  })
  return { page, complaints }
}

const axeSource = (): string => readFileSync(fromConsole.resolve('axe-core/axe.min.js'), 'utf8')

/** Only violations are told in full, which takes a third less time. */
const rules = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}`

/**
 * What appears while axe looks is half hidden to it, such as a dialog whose transition begins in
 * the frame after it is there; a read that hangs is waited for no longer.
 */
const isShown = `new Promise((done) => {
  const endsAt = performance.now() + 5_000
  const isMoving = () =>
    document.querySelector('.animate-pulse') !== null ||
    document.getAnimations().some(
      ({ effect, playState }) =>
        playState === 'running' && effect.getComputedTiming().endTime !== Infinity)
  let stillFrames = 0
  const look = () => {
    stillFrames = isMoving() ? 0 : stillFrames + 1
    if (stillFrames === 3 || performance.now() > endsAt) done()
    else requestAnimationFrame(look)
  }
  look()
})`

/** What axe finds on the page: each rule with the first element that breaks it. */
export const accessibilityViolations = async (page: Page): Promise<string[]> => {
  await page.evaluate(isShown)
  await page.evaluate(axeSource())
  return page.evaluate<string[]>(
    `axe.run(document, ${rules}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 160)))`,
  )
}

/** A device that keeps passkeys, and whose owner always agrees to use them. */
export const addAuthenticator = async (context: Context, page: Page): Promise<void> => {
  const devTools = await context.newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  }
  await devTools.send('WebAuthn.addVirtualAuthenticator', { options })
}

/** Whether the dialog that this opens has the focus before the browser could take another key. */
export const dialogHasFocusAtOnce = async (page: Page, open: () => Promise<void>) => {
  await page.evaluate(watchNextDialog)
  await open()
  return inTime('a dialog opens', page.evaluate<boolean>('dialogHasFocus'))
}

const watchNextDialog = `void (globalThis.dialogHasFocus = new Promise((done) => {
  const { port1, port2 } = new MessageChannel()
  const observer = new MutationObserver(() => {
    const dialog = document.querySelector('[role="dialog"]')
    if (dialog === null) return
    observer.disconnect()
    port1.onmessage = () => done(dialog.contains(document.activeElement))
    port2.postMessage(null)
  })
  observer.observe(document, { subtree: true, childList: true })
}))`

/** Documents by state are read once somebody is there. */
export const showStates = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Show documents by state' }).press('Enter')
}

/** Opens the dialog that pays the bill on the page, by keyboard; returns the button that pays. */
export const openPayment = async (page: Page) => {
  await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
  await page.keyboard.press('p')
  return page.getByRole('dialog').getByRole('button', { name: /^Pay/ })
}
