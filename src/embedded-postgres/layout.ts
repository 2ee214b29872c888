/**
 * Where everything of the embedded PostgreSQL lies, and the two URLs that lead to it.
 * Invariant: only we can reach the socket (its directory is ours and has mode 0700), because
 * whoever reaches it is let in as the superuser; the loopback port asks for a password.
 */
import { createHash } from 'node:crypto'
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { OsAccount } from './os-account.ts'

/** A socket's path has to fit into sockaddr_un: 107 bytes on Linux, 103 on macOS. */
const socketPathMaxBytes = 103

export interface Layout {
  root: string
  data: string
  log: string
  password: string
  port: string
  socketDirectory: string
  isSocketElsewhere: boolean
}

export function layoutOf(root: string): Layout {
  const near = join(root, 'postgres.socket')
  const isSocketElsewhere = Buffer.byteLength(join(near, '.s.PGSQL.65535')) > socketPathMaxBytes
  // The name depends on the data directory alone, so that kill -9 leaves one directory, not many.
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16)
  return {
    root,
    data: join(root, 'postgres'),
    log: join(root, 'postgres.log'),
    password: join(root, 'postgres.password'),
    port: join(root, 'postgres.port'),
    socketDirectory: isSocketElsewhere ? join(tmpdir(), `docex-${hash}`) : near,
    isSocketElsewhere,
  }
}

export function makeSocketDirectory({ socketDirectory }: Layout, { fileOwnerId }: OsAccount): void {
  mkdirSync(socketDirectory, { recursive: true, mode: 0o700 })
  if (fileOwnerId !== undefined) chownSync(socketDirectory, fileOwnerId, fileOwnerId)
  // Anybody may create names under /tmp: what lies there must be what we would have made.
  const found = lstatSync(socketDirectory)
  const isOurs = found.isDirectory() && found.uid === (fileOwnerId ?? process.getuid?.())
  if (!isOurs || (found.mode & 0o077) !== 0) {
    throw new Error(`${socketDirectory} must be a directory of ours with mode 0700: remove it.`)
  }
}

/**
 * Sockets and their lock files of a PostgreSQL that was killed. Call it when none runs any more.
 */
export function clearSocketDirectory({ socketDirectory }: Layout): void {
  for (const name of readdirSync(socketDirectory)) rmSync(join(socketDirectory, name))
}

/** libpq and node-postgres both read the directory from `host`, so the authority stays empty. */
export function socketUrl({ socketDirectory }: Layout, port: number, database = 'docex'): string {
  return `postgresql://postgres@/${database}?host=${encodeURIComponent(socketDirectory)}&port=${port}`
}

export function loopbackUrl(password: string, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/docex`
}

/**
 * The port of the last start when it is still free, so that a developer's bookmarks keep working.
 */
export async function choosePort(layout: Layout): Promise<number> {
  const port = (await freePort(savedPort(layout))) ?? (await freePort(0))
  if (port === undefined) throw new Error('There is no free port on 127.0.0.1 for PostgreSQL.')
  return port
}

export function savePort(layout: Layout, port: number): void {
  writeFileSync(layout.port, `${port}\n`)
}

/** The loopback URL of the server that runs here or did; undefined when none ever has. */
export function savedLoopbackUrl(root: string): string | undefined {
  const layout = layoutOf(root)
  const port = savedPort(layout)
  const password = existsSync(layout.password) ? readFileSync(layout.password, 'utf8').trim() : ''
  return port === 0 || password === '' ? undefined : loopbackUrl(password, port)
}

function savedPort(layout: Layout): number {
  try {
    const port = Number(readFileSync(layout.port, 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : 0
  } catch {
    return 0
  }
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : undefined
      server.close(() => resolve(port))
    })
  })
}
