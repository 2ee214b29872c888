/** One service process for the benchmark. `--without-history` shows the cost of history. */
import { readConfig } from '../src/config.ts'
import { openLogger } from '../src/telemetry/logger.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { startService } from '../src/service.ts'

const config = readConfig()
const keyring = await openKeyring(config)
const service = await startService({
  config,
  databaseUrl: config.databaseUrl!,
  keyring: process.argv.includes('--without-history') ? { ...keyring, history: null } : keyring,
  log: openLogger((line) => process.stderr.write(line)),
})
process.stdout.write(`${service.port}\n`)
process.on('message', (message) => {
  if (message === 'memory')
    process.send!({ rss: process.memoryUsage.rss(), cpu: process.cpuUsage() })
})
const stop = () => void service.stop().then(() => process.exit(0))
process.on('SIGTERM', stop)
process.on('disconnect', stop)
