/** One process of the service, for tests that kill it. Tells its parent the port, ends with it. */
import { readConfig } from '../../../src/config.ts'
import { openKeyring } from '../../../src/startup/keyring.ts'
import { jsonLogger } from '../../../src/telemetry/log.ts'
import { startService } from '../../../src/service.ts'

const config = readConfig()
const service = await startService({
  config,
  databaseUrl: config.databaseUrl!,
  keyring: await openKeyring(config),
  log: jsonLogger(() => {}, { calls: false }),
})
process.on('disconnect', () => process.exit(0))
process.send!({ port: service.port })
