/**
 * Tests exports and imports with the rules and samples of others, which lie beside the checkout
 * (docs/decisions/0101). They belong to their authors and are no part of this repository.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const directory = resolve(root, process.env.INTEROP_DIR ?? '../shared/interop')

const run = (command: string, args: readonly string[], cwd = root): void => {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const say = (reason: string): void => {
  const line = '='.repeat(80)
  console.error(`${line}\nNOT TESTED: ${reason}\n${line}`)
}

const absent = ['en16931', 'peppol', 'ubl21', 'facturx', 'samples'].filter(
  (folder) => !existsSync(join(directory, folder)),
)
if (absent.length > 0) {
  say(
    `${directory}\nlacks ${absent.join(', ')}, so no export was checked with the official rules.\nPut the artefacts of docs/decisions/0101 there, or name their place in INTEROP_DIR.`,
  )
  process.exit(0)
}

if (!existsSync(join(root, 'tools/node_modules/saxon-js')))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], join(root, 'tools'))

const { compileRules, ruleSets, withoutRules } =
  await import('../test/support/interop/official-rules.ts')
const { buildPeppolCii } = await import('../test/support/interop/peppol-cii.ts')
if (!existsSync(join(directory, ruleSets['peppol-cii'])))
  await buildPeppolCii().catch((error: unknown) =>
    say(
      `${(error as Error).message},\nso that format=peppol_cii was checked only as far as it equals cii.\nRun node scripts/peppol-cii-rules.ts, which gets them from their publisher, or name a checkout of\nOpenPEPPOL/peppol-bis-invoice-3 in PEPPOL_BIS_DIR (docs/decisions/0147).`,
    ),
  )
/** Those of orders and deliveries are compiled where they are used. */
const compiled = (Object.keys(ruleSets) as (keyof typeof ruleSets)[]).filter(
  (name) => /(ubl|cii)$/.test(name) && withoutRules(name) === false,
)
await Promise.all(compiled.map((rules) => compileRules(rules)))

const folder = join(root, 'test/interop')
const files = readdirSync(folder).map((name) => join(folder, name))
run(process.execPath, ['--test', '--test-concurrency=2', ...files])
