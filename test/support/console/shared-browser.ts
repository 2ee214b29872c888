/**
 * One Chromium for all files of a process, since each start and end of one takes 0.9 s of CPU time.
 * A file connects to it and has contexts of its own, which end with its connection. Nothing here
 * keeps the process from ending: a shell waits for that, and ends the browser. After a browser that
 * has crashed, the next file starts another one.
 */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { temporaryFolder } from '../temporary-folder.ts'
import { inTime } from '../until.ts'

/** As Playwright starts a Chromium that it owns alone. */
const asPlaywright = [
  '--headless',
  '--hide-scrollbars',
  '--mute-audio',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--disable-field-trial-config',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-back-forward-cache',
  '--disable-breakpad',
  '--disable-component-extensions-with-background-pages',
  '--no-default-browser-check',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies',
  '--allow-pre-commit-input',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-renderer-backgrounding',
  '--force-color-profile=srgb',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  '--no-service-autorun',
  '--disable-search-engine-choice-screen',
  '--unsafely-disable-devtools-self-xss-warnings',
  '--enable-unsafe-swiftshader',
  '--disable-infobars',
  '--remote-debugging-port=0',
  '--no-startup-window',
]

// The pipe to the shell closes when this process ends, even by kill -9; it ends with Chromium, too.
const script = `
  exec 3<&0
  "$@" < /dev/null 3<&- & browser=$!
  { read line; kill $browser; } <&3 2> /dev/null & watchdog=$!
  wait $browser
  kill $watchdog`

const start = async (command: readonly string[], ended: () => void): Promise<string> => {
  const profile = `--user-data-dir=${temporaryFolder()}`
  const shell = spawn('sh', ['-c', script, 'sh', ...command, ...asPlaywright, profile], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  const lines = createInterface({ input: shell.stderr })
  const address = Promise.withResolvers<string>()
  lines.on('line', (line) => {
    const [, found] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? []
    if (found !== undefined) address.resolve(found)
  })
  shell.on('exit', () => {
    ended()
    address.reject(new Error('Chromium has ended.'))
  })
  const found = await inTime('Chromium starts', address.promise)
  shell.unref()
  for (const stream of [shell.stdin, shell.stderr]) (stream as Socket).unref()
  return found
}

let started: Promise<string> | undefined

/** The address of the browser of this process, for a connection by the DevTools protocol. */
export const sharedBrowser = (command: readonly string[]): Promise<string> =>
  (started ??= start(command, () => (started = undefined)))
