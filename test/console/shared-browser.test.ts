/** The browser that the files of a process share, after it has crashed. */
import { test } from 'node:test'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { until } from '../support/until.ts'

test(
  'whoever comes after a crash gets another browser',
  { skip: missingBrowser ?? false },
  async () => {
    const devTools = await (await launchBrowser()).newBrowserCDPSession()
    await devTools.send('Browser.crash').catch(() => undefined)
    await until('there is another browser', () =>
      launchBrowser().then(
        (browser) => browser.newContext().then(() => true),
        () => false,
      ),
    )
  },
)
