/** One API process to measure, what is asked of it, and the load. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeId } from '../src/core/ids.ts'
import type { LoadOptions, LoadResult } from './load.ts'
import { idOf } from './seed.ts'

const line = (i: number) => ({
  description: `Consulting, phase ${i}`,
  quantity: 2.5,
  unit_price: 19.99 + i,
  tax_rate: 0.08,
  sku: `SKU-${i}`,
})
/** The body of the invoice that creates write. */
export const invoice = (pair: number) =>
  JSON.stringify({
    connection_id: encodeId('con', idOf(`connection${pair}`)),
    document_type: 'invoice',
    line_items: Array.from({ length: 5 }, (_, i) => line(i)),
    external_refs: { issuer_ref: `SO-2026-${pair}` },
    notes: 'Thank you for your business.',
  })

/** A request as bytes; {n} in it becomes a number never used before. */
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

/** The same for all servers of a run: one reads what another sealed. */
export const serverKey = randomBytes(32).toString('hex')

const temporaryKeysDir = () => mkdtempSync(join(tmpdir(), 'docex-bench-keys-'))

/** The keys of the logs: one folder for the servers that share what the logs hold. */
let keysDir = temporaryKeysDir()

/** To be called when the logs are emptied: what was signed before would be missed, and told. */
export const resetLogKeys = (): void => {
  keysDir = temporaryKeysDir()
}

/** As `npm start` runs it. */
const heap = ['--max-semi-space-size=32', '--max-old-space-size=2000']
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
  // Work that nobody asked for, the seeded rows' least of all, is no part of an answer.
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
    [...heap, join(import.meta.dirname, 'server-process.ts'), ...args],
    {
      env: {
        ...environment,
        // As in `npm start`: what threads have freed is used again by others.
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
 * Waits until the work that the rows before have left is done; answers the CPU time of a second in
 * which nothing is asked, which is not part of an answer.
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
          new Error(`${result.failureCount} wrong answers: ${result.firstFailure.slice(0, 500)}`),
        )
      else resolve(result)
    })
    child.stdin.end(JSON.stringify(options))
  })

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!
