/**
 * Checks the package as its users get it: built, packed, installed into an empty project without any
 * registry, and run there.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'docex-cli-'))
const run = (file, args, cwd = folder) => execFileSync(file, args, { cwd, encoding: 'utf8' })

try {
  run(process.execPath, ['scripts/build.mjs'])
  const packed = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project]),
  )
  const { filename, size, unpackedSize } = [packed].flat()[0] ?? Object.values(packed)[0]
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const tarball = join(project, filename)
  run('npm', ['install', '--no-audit', '--no-fund', '--offline', tarball], project)

  const docex = (args, env = {}) =>
    spawnSync(join(project, 'node_modules/.bin/docex'), args, {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DOCEX_CONFIG_DIR: join(project, 'config'), ...env },
    })
  const help = docex(['--help'])
  assert.equal(help.status, 0, help.stderr)
  assert.match(help.stdout, /documents/)
  assert.equal(docex(['--version']).status, 0)
  assert.equal(docex(['documents', 'create', '--help']).status, 0)
  const without = docex(['me', 'get', '--json'])
  assert.deepEqual([without.status, JSON.parse(without.stderr).error.code], [3, 'no_credentials'])
  const nowhere = { DOCEX_API_KEY: 'rk_test_x', DOCEX_BASE_URL: 'http://127.0.0.1:9' }
  assert.equal(docex(['me', 'get'], nowhere).status, 4)
  console.log(`docex-cli: ${size} bytes packed, ${unpackedSize} unpacked`)
} finally {
  rmSync(project, { recursive: true, force: true })
}
