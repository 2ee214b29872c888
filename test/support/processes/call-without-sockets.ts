/**
 * Run with few file descriptors (`ulimit -n`): takes all of them, calls the URL, releases them
 * after the given time, and prints the response. Calls a public address instead if asked to.
 */
import { closeSync, openSync } from 'node:fs'
import { openOutbound } from '../../../src/outbound/client.ts'

const [url, releaseAfterMs, callsPublic] = process.argv.slice(2) as [string, string, string]
const client = openOutbound(async () => ['127.0.0.1']).client(url, { reach: 'private' })
// Everything that is loaded on first use is loaded now.
await client.post({}, '{}')
client.close()
const taken: number[] = []
try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {
  // No descriptor is left.
}
setTimeout(() => taken.forEach((descriptor) => closeSync(descriptor)), Number(releaseAfterMs))
const fresh =
  callsPublic === 'true'
    ? openOutbound().client('https://93.184.216.34/', { reach: 'public' })
    : openOutbound().client(url, { reach: 'private' })
const { status, error, isOurFault } = await fresh.post({}, '{}')
process.stdout.write(JSON.stringify({ status, error, isOurFault }))
process.exit(0)
