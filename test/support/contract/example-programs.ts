/** Runs the examples of the docs as a reader would: each language with its own client. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasProgram } from '../processes/has-program.ts'
import { inheritedEnvironment } from '../processes/program.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = resolve(import.meta.dirname, '../../..')

export type TabLabel = 'curl' | 'TypeScript' | 'Python' | 'CLI'

export interface Outcome {
  status: number | string
  stdout: string
  stderr: string
}

const run = (
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> =>
  new Promise((settle) => {
    const [program, ...args] = command
    execFile(
      program,
      args,
      { cwd, env: { ...inheritedEnvironment, ...env } },
      (error, stdout, stderr) => settle({ status: error?.code ?? 0, stdout, stderr }),
    )
  })

const sdkEntries = ['index', 'webhooks', 'receipts', 'file-receipt-store']

/** A folder in which `docex` is installed for every language, and files that examples send. */
export const examplesFolder = (): string => {
  const folder = temporaryFolder()
  const installed = join(folder, 'node_modules/docex')
  mkdirSync(installed, { recursive: true })
  const exported = sdkEntries.map((name) => [name === 'index' ? '.' : `./${name}`, `./${name}.mjs`])
  const described = { name: 'docex', type: 'module', exports: Object.fromEntries(exported) }
  writeFileSync(join(installed, 'package.json'), JSON.stringify(described))
  for (const name of sdkEntries) {
    const source = pathToFileURL(join(root, `sdk/src/${name}.ts`)).href
    writeFileSync(join(installed, `${name}.mjs`), `export * from ${JSON.stringify(source)}\n`)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const command = join(folder, 'docex')
  writeFileSync(command, `#!/bin/sh\nexec node ${join(root, 'cli/src/main.ts')} "$@"\n`)
  chmodSync(command, 0o755)
  for (const name of ['delivery-note.pdf', 'invoice.xml']) writeFileSync(join(folder, name), name)
  return folder
}

const commandOf = (label: TabLabel, folder: string, text: string): [string, ...string[]] => {
  if (label === 'TypeScript') {
    const file = join(folder, `${crypto.randomUUID()}.ts`)
    writeFileSync(file, text)
    return [process.execPath, file]
  }
  if (label === 'Python') return ['python3', '-W', 'error', '-c', text]
  return ['bash', '-c', `set -e -o pipefail\n${text}`]
}

export const runExample = (
  label: TabLabel,
  text: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> =>
  run(commandOf(label, folder, text), folder, {
    PYTHONPATH: join(root, 'sdk-python'),
    PYTHONDONTWRITEBYTECODE: '1',
    DOCEX_CONFIG_DIR: join(folder, 'config'),
    ...environment,
    PATH: `${folder}:${inheritedEnvironment.PATH}`,
  })

/** The commands of a script, each with the credential that it gets, as a shell reads them. */
export const commandsIn = async (
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ credential: string; argv: string[] }[]> => {
  const told = 'docex() { printf \'%s\\37\' "$DOCEX_API_KEY" "$@"; printf \'\\36\'; }'
  const { stdout } = await run(['bash', '-c', `${told}\n${script}`], temporaryFolder(), environment)
  return stdout
    .split('\x1e')
    .slice(0, -1)
    .map((command) => {
      const [credential = '', ...argv] = command.split('\x1f').slice(0, -1)
      return { credential, argv }
    })
}

/** What the compiler says of the programs, each a module of its own. */
export const typescriptComplaints = async (texts: readonly string[]): Promise<string> => {
  const folder = temporaryFolder()
  const compilerOptions = {
    target: 'esnext',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    allowImportingTsExtensions: true,
    moduleDetection: 'force',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { docex: [join(root, 'sdk/src/index.ts')] },
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, `example-${i}.ts`), text)
  const compiler = join(root, 'node_modules/.bin/tsc')
  return (await run([compiler, '-p', folder], folder, {})).stdout
}

export const withoutMypy =
  !hasProgram('mypy') && process.env['CI'] !== 'true' && 'apt-get install mypy installs it'

export const pythonComplaints = async (texts: readonly string[]): Promise<string> => {
  const folder = temporaryFolder()
  for (const [i, text] of texts.entries()) writeFileSync(join(folder, `example_${i}.py`), text)
  // The mypy of Debian 12 has to be told so; later ones need nothing.
  const options = [
    '--enable-incomplete-feature=Unpack',
    '--strict',
    '--no-error-summary',
    '--cache-dir',
    join(folder, 'cache'),
    folder,
  ]
  const { stdout, stderr } = await run(['mypy', ...options], folder, {
    MYPYPATH: join(root, 'sdk-python'),
  })
  return stdout + stderr
}
