/** A service with a sandbox of its own, and the command line of that sandbox. */
import type { anInvoice } from '../../../test/support/fixtures.ts'
import { sandboxClient } from '../../../test/support/sandbox/sandbox-client.ts'
import { startTestService } from '../../../test/support/test-service.ts'
import { cliWith } from './run-cli.ts'

export const startSandbox = async () => {
  const running = await startTestService()
  const sandbox = await sandboxClient(running).provisionSandbox()
  const { key, connection } = sandbox
  return {
    running,
    sandbox,
    cli: cliWith({ DOCEX_API_KEY: key, DOCEX_BASE_URL: running.baseUrl }),
    pair: { issuer: { key }, connection } as Parameters<typeof anInvoice>[1],
  }
}
