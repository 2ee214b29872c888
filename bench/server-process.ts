/** One API process for the benchmark; `--without-history` prices history by leaving it out. */
import { readConfig } from '../src/config.ts'
import { jsonLogger } from '../src/telemetry/log.ts'
import { openKeyring } from '../src/startup/keyring.ts'
import { startService } from '../src/service.ts'

const config = readConfig()
const keyring = await openKeyring(config)
const service = await startService({
  config,
  databaseUrl: config.databaseUrl!,
  keyring: process.argv.includes('--without-history') ? { ...keyring, history: null } : keyring,
  log: jsonLogger((line) => process.stderr.write(line), { calls: false }),
})
process.stdout.write(`${service.port}\n`)
process.on('message', (message) => {
  if (message === 'memory')
    process.send!({ rss: process.memoryUsage.rss(), cpu: process.cpuUsage() })
})
const stop = () => void service.stop().then(() => process.exit(0))
process.on('SIGTERM', stop)
process.on('disconnect', stop)
