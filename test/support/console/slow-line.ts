/** A page whose every answer takes longer, as over a bad line. */
import type { Context, Page } from './browser.ts'

const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }

export const withSlowLine = async (
  context: Context,
  page: Page,
  work: () => Promise<void>,
): Promise<void> => {
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 1_200 })
  await work()
  await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 0 })
}
