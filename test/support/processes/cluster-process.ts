/**
 * A process that owns a cluster, as src/main.ts does, so that tests can kill it. It reads
 * ClusterOptions from its argument, and writes one JSON line per step, then one with the cluster.
 * It stops when its standard input ends, so it cannot outlive its test.
 */
import { type Cluster, startCluster } from '../../../src/embedded-postgres/cluster.ts'

function writeLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Stops twice, to show that stopping is idempotent. */
const stopTwice = async (cluster: Cluster): Promise<void> => {
  await cluster.stop()
  await cluster.stop()
  process.exit(0)
}

try {
  const options = JSON.parse(process.argv[2] ?? '{}')
  const cluster = await startCluster({ ...options, report: (step) => writeLine({ step }) })
  writeLine({ url: cluster.url, loopbackUrl: cluster.loopbackUrl })
  process.stdin.resume().once('end', () => void stopTwice(cluster))
} catch (error) {
  writeLine({ refused: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}
