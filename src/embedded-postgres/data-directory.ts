/**
 * Creates the data directory with initdb.
 * Invariant: a directory named `postgres` is complete. initdb fills a directory with a temporary
 * name, which is renamed in one step once all of it is on disk. The next start removes what an
 * interrupted one left.
 */
import { once } from 'node:events'
import * as fs from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { spawnAs } from './os-account.ts'
import { failureWithOutput } from './server-log.ts'
import type { Installation, ServerOptions } from './server.ts'

/** The builtin locale sorts by code point on every system, whatever its C library. */
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
  for (const name of fs.readdirSync(layout.root)) {
    if (!name.startsWith('postgres.new')) continue
    // An interrupted initdb may be cleaning up at the same time: rmSync would then stop half way
    // without an error.
    await rm(join(layout.root, name), { recursive: true, force: true, maxRetries: 10 })
  }
  if (fs.existsSync(join(layout.data, 'PG_VERSION'))) return
  report?.('creating the database (once)')
  // The name is unique, so that an initdb that briefly outlives its owner cannot write into ours.
  const fresh = fs.mkdtempSync(join(layout.root, 'postgres.new-'))
  const owner = account.fileOwnerId
  if (owner !== undefined) fs.chownSync(fresh, owner, owner)
  const start = log.position()
  const args = [`--pgdata=${fresh}`, ...initdbArguments, ...(sync ? [] : ['--no-sync'])]
  const output = { env: binaries.env, output: log.fd }
  const child = spawnAs(account, [binaries.initdb, ...args], output)
  const [code] = await once(child, 'exit')
  if (code !== 0)
    throw failureWithOutput('PostgreSQL could not create its files:', log.since(start))
  fs.renameSync(fresh, layout.data)
  if (sync) syncDirectory(layout.root)
}

/** Without this, a power cut could restore the old name, and the next start would remove it. */
function syncDirectory(path: string): void {
  const fd = fs.openSync(path, 'r')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}
