/**
 * A service process for tests to kill. Sends its port to its parent, and its CPU time when it is
 * asked; exits with its parent.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../../../src/config.ts'
import { DatabaseUnavailable } from '../../../src/database/sql.ts'
import { claimServerKey } from '../../../src/startup/database-server-key.ts'
import { openKeyring } from '../../../src/startup/keyring.ts'
import { openLogger } from '../../../src/telemetry/logger.ts'
import { startService } from '../../../src/service.ts'

/** PostgreSQL may be recovering from a crash that the test has caused. */
const whenReachable = async (work: () => Promise<void>): Promise<void> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await pause(20)
    }
  }
}

const config = readConfig()
const keyring = await openKeyring(config)
await whenReachable(() => claimServerKey(config.databaseUrl!, keyring))
const service = await startService({
  config,
  databaseUrl: config.databaseUrl!,
  keyring,
  log: openLogger(() => {}),
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMs: (user + system) / 1000 })
})
process.on('disconnect', () => process.exit(0))
process.send!({ port: service.port })
