/**
 * Builds the package with the compiler alone: the command line, the modules of the SDK and of the
 * service that it uses, and the published verifier, in the same folders as in the repository.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const dist = `${folder}dist`
const tsc = createRequire(import.meta.url).resolve('typescript/package.json')

rmSync(dist, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [tsc.replace('package.json', 'bin/tsc'), '-p', folder, '--removeComments'],
  { stdio: 'inherit' },
)
cpSync(`${folder}../verifier/verify-bundle.mjs`, `${dist}/verifier/verify-bundle.mjs`)
chmodSync(`${dist}/cli/src/main.js`, 0o755)
