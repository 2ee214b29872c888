/** Starts the servers to measure, builds their requests, and runs the load. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { encodeId } from '../src/core/ids.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { serverKey } from './server-key.ts'
import type { LoadOptions, LoadResult } from './load.ts'
import { idOf } from './seed.ts'

/** Measures ours and the limit in turn, and reports one row. */
export interface BenchTools {
  compare: Compare
  isSelected(name: string): boolean
}

export type Compare = (
  name: string,
  unit: string,
  ours: () => Promise<number>,
  limit: () => Promise<number>,
) => Promise<void>

const lineItem = (i: number) => ({
  description: `Consulting, phase ${i}`,
  quantity: 2.5,
  unit_price: 19.99 + i,
  tax_rate: 0.08,
  sku: `SKU-${i}`,
})

/** The body of the invoice that every create sends. */
export const invoice = (pair: number) =>
  JSON.stringify({
    connection_id: encodeId('con', idOf(`connection${pair}`)),
    document_type: 'invoice',
    line_items: Array.from({ length: 5 }, (_, i) => lineItem(i)),
    external_refs: { issuer_ref: `SO-2026-${pair}` },
    notes: 'Thank you for your business.',
  })

/** The text of a request; the load generator replaces {n} by a number never used before. */
export const request = (method: string, path: string, key: string, body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    ...(method === 'GET'
      ? []
      : [
          'Idempotency-Key: bench-{n}',
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
        ]),
    '',
    body,
  ].join('\r\n')

/** The log keys of all servers on one database. */
let keysDir = temporaryFolder()

/** Must follow a truncation of the logs, whose lost checkpoints would raise an integrity alarm. */
export const resetLogKeys = (): void => {
  keysDir = temporaryFolder()
}

/** The options of `npm start`. */
export const heapOptions = [
  '--max-semi-space-size=16',
  '--max-old-space-size=2000',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=100',
]
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
  // Background work, above all on seeded rows, must not count towards a response.
  PROCESS_ROLE: 'api',
  RATE_LIMITS: 'off',
  SANDBOX_QUOTAS: 'off',
  PORT: '0',
}

export interface BenchServer {
  port: number
  child: ChildProcess
  rss(): Promise<number>
  /** CPU time of the process so far. */
  cpuMs(): Promise<number>
  stop(): Promise<void>
}

export const startServer = async (
  databaseUrl: string,
  args: string[] = [],
  settings: Record<string, string> = {},
): Promise<BenchServer> => {
  const child = spawn(
    process.execPath,
    [...heapOptions, join(import.meta.dirname, 'server-process.ts'), ...args],
    {
      env: {
        ...environment,
        // As in `npm start`: threads reuse the memory that others have freed.
        MALLOC_ARENA_MAX: '2',
        DATABASE_URL: databaseUrl,
        SERVER_KEY: serverKey,
        PROVENANCE_KEYS_DIR: keysDir,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    child.stdout!.once('data', (text: Buffer) => resolve(Number(text.toString())))
  })
  child.removeAllListeners('exit')
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    port,
    child,
    rss: () =>
      new Promise((resolve) => {
        child.once('message', (message) => resolve((message as { rss: number }).rss))
        child.send('memory')
      }),
    cpuMs: () =>
      new Promise((resolve) => {
        child.once('message', (message) => {
          const { user, system } = (message as { cpu: NodeJS.CpuUsage }).cpu
          resolve((user + system) / 1000)
        })
        child.send('memory')
      }),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * Waits until the server has finished the work left by earlier rows. Returns its CPU time in an
 * idle second, which a caller subtracts from the CPU time of its requests.
 */
export const waitUntilIdle = async ({ cpuMs }: BenchServer): Promise<number> => {
  let busyMs = Infinity
  for (let second = 0; busyMs > 100 && second < 120; second += 1) {
    const before = await cpuMs()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    busyMs = (await cpuMs()) - before
  }
  return busyMs
}

export const load = (options: LoadOptions): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'load.ts')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', () => {
      const result = JSON.parse(output) as LoadResult
      if (result.failureCount > 0)
        reject(
          new Error(`${result.failureCount} wrong responses: ${result.firstFailure.slice(0, 500)}`),
        )
      else resolve(result)
    })
    child.stdin.end(JSON.stringify(options))
  })

/** Walks the document list to this depth, in pages of 100, and returns the cursor there. */
export const cursorAt = async (port: number, key: string, depth: number): Promise<string> => {
  let cursor = ''
  for (let position = 0; position < depth; position += 100) {
    const query = `limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
    const response = await fetch(`http://127.0.0.1:${port}/v1/documents?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    cursor = ((await response.json()) as { next_cursor: string }).next_cursor
  }
  return cursor
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!
