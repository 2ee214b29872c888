/**
 * The data directory, made by initdb.
 * Invariant: a directory named `postgres` is whole. It is made under another name, and gets this
 * one in a single step after all of it is on disk; whatever interrupted that is removed by the next
 * start.
 */
import { once } from 'node:events'
import { chownSync, closeSync, existsSync, fsyncSync, mkdtempSync, openSync } from 'node:fs'
import { readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { spawnAs } from './os-account.ts'
import { failureWithOutput } from './server-log.ts'
import type { Installation, ServerOptions } from './server.ts'

/**
 * PostgreSQL's own locale: order by code point, the same on every system, whatever its C library.
 */
const initdbArguments = [
  '--username=postgres',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--auth-local=trust',
  '--auth-host=scram-sha-256',
  '--no-instructions',
]

export async function createDataDirectory(
  { layout, account, binaries, log }: Installation,
  { sync = true, report }: ServerOptions,
): Promise<void> {
  for (const name of readdirSync(layout.root)) {
    if (!name.startsWith('postgres.new')) continue
    // Not rmSync: while an interrupted initdb cleans up as well, it stops half way and says
    // nothing.
    await rm(join(layout.root, name), { recursive: true, force: true, maxRetries: 10 })
  }
  if (existsSync(join(layout.data, 'PG_VERSION'))) return
  report?.('creating the database (once)')
  // A fresh name each time: an initdb that outlived its owner for a moment cannot write into ours.
  const fresh = mkdtempSync(join(layout.root, 'postgres.new-'))
  if (account.fileOwnerId !== undefined) chownSync(fresh, account.fileOwnerId, account.fileOwnerId)
  const start = log.position()
  const args = [`--pgdata=${fresh}`, ...initdbArguments, ...(sync ? [] : ['--no-sync'])]
  const output = { env: binaries.env, output: log.fd }
  const child = spawnAs(account, [binaries.initdb, ...args], output)
  const [code] = await once(child, 'exit')
  if (code !== 0)
    throw failureWithOutput('PostgreSQL could not create its files:', log.since(start))
  renameSync(fresh, layout.data)
  if (sync) syncDirectory(layout.root)
}

/** Without this a power cut could bring the old name back, and the next start would remove it. */
function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
