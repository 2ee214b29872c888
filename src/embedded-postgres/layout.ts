/**
 * The files of the embedded PostgreSQL and its two URLs.
 * Invariant: only our account can reach the socket (we own its directory, mode 0700), because every
 * connection to it is the superuser's. The loopback port requires a password.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { OsAccount } from './os-account.ts'

/** A socket path must fit into sockaddr_un: 107 bytes on Linux, 103 on macOS. */
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
  // The name depends only on the data directory, so that repeated kill -9 leaves one directory.
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
  fs.mkdirSync(socketDirectory, { recursive: true, mode: 0o700 })
  if (fileOwnerId !== undefined) fs.chownSync(socketDirectory, fileOwnerId, fileOwnerId)
  // Anyone may create names under /tmp, so the directory must be as we would have created it.
  const status = fs.lstatSync(socketDirectory)
  const isOurs = status.isDirectory() && status.uid === (fileOwnerId ?? process.getuid?.())
  if (!isOurs || (status.mode & 0o077) !== 0) {
    throw new Error(`${socketDirectory} must be our own directory with mode 0700: remove it.`)
  }
}

/** Removes the sockets and lock files of a killed PostgreSQL. No server may be running. */
export function clearSocketDirectory({ socketDirectory }: Layout): void {
  for (const name of fs.readdirSync(socketDirectory)) fs.rmSync(join(socketDirectory, name))
}

/** libpq and node-postgres both read the directory from `host`, so the authority stays empty. */
export function socketUrl({ socketDirectory }: Layout, port: number, database = 'docex'): string {
  return `postgresql://postgres@/${database}?host=${encodeURIComponent(socketDirectory)}&port=${port}`
}

export function loopbackUrl(password: string, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/docex`
}

/** Prefers the port of the last start, so that a developer's bookmarks keep working. */
export async function choosePort(layout: Layout): Promise<number> {
  const port = (await freePort(savedPort(layout))) ?? (await freePort(0))
  if (port === undefined) throw new Error('There is no free port on 127.0.0.1 for PostgreSQL.')
  return port
}

export function savePort(layout: Layout, port: number): void {
  fs.writeFileSync(layout.port, `${port}\n`)
}

/** The loopback URL of the last server in this directory; undefined when none ever ran. */
export function savedLoopbackUrl(root: string): string | undefined {
  const layout = layoutOf(root)
  const port = savedPort(layout)
  const password = fs.existsSync(layout.password)
    ? fs.readFileSync(layout.password, 'utf8').trim()
    : ''
  return port === 0 || password === '' ? undefined : loopbackUrl(password, port)
}

export async function isFreePort(port: number): Promise<boolean> {
  return (await freePort(port)) !== undefined
}

function savedPort(layout: Layout): number {
  try {
    const port = Number(fs.readFileSync(layout.port, 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : 0
  } catch {
    return 0
  }
}

function freePort(preferred: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(preferred, '127.0.0.1', () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : undefined
      server.close(() => resolve(port))
    })
  })
}
