/** The processes of the benchmark: the service under test, and the one that puts load on it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load.ts'

/** As `npm start` runs it. */
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
  RATE_LIMITS: 'off',
  SANDBOX_QUOTAS: 'off',
  PORT: '0',
}

interface Running {
  port: number
  child: ChildProcess
  rss(): Promise<number>
  stop(): Promise<void>
}

export const startServer = async (databaseUrl: string, args: string[] = []): Promise<Running> => {
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=16', join(import.meta.dirname, 'server.ts'), ...args],
    {
      env: {
        ...environment,
        DATABASE_URL: databaseUrl,
        SERVER_KEY: randomBytes(32).toString('hex'),
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
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
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
      if (result.wrong > 0)
        reject(new Error(`${result.wrong} wrong answers: ${result.firstWrong.slice(0, 500)}`))
      else resolve(result)
    })
    child.stdin.end(JSON.stringify(options))
  })
