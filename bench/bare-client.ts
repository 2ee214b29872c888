/**
 * Measures the limit of deliveries: the same HTTP client in a bare loop, without database, signing
 * and recording. node bench/bare-client.ts <port> <endpoints> <requests> <body bytes>
 */
import { limits } from '../src/contract/limits.ts'
import { openOutbound } from '../src/outbound/client.ts'

const [port, endpoints, requests, bodyBytes] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
]
const outbound = openOutbound()
const body = JSON.stringify({ text: 'x'.repeat(bodyBytes) })
const headers = { 'content-type': 'application/json' }
let remaining = requests

const postUntilDone = async (post: () => Promise<{ status: number | null }>): Promise<void> => {
  while (remaining-- > 0) {
    const { status } = await post()
    if (status !== 200) throw new Error(`the receiver responded ${status}`)
  }
}

const startedAt = performance.now()
const clients = Array.from({ length: endpoints }, (_, i) =>
  outbound.client(`http://127.0.0.1:${port}/hooks/${i}`, { reach: 'private' }),
)
await Promise.all(
  clients.flatMap((client) =>
    Array.from({ length: limits.concurrentDeliveriesPerEndpointMax }, () =>
      postUntilDone(() => client.post({ ...headers }, body)),
    ),
  ),
)
const perSecond = requests / ((performance.now() - startedAt) / 1000)
for (const client of clients) client.close()
process.stdout.write(`${JSON.stringify({ perSecond })}\n`)
process.exit(0)
