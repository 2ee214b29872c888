/**
 * Checks the package as its users get it: built, packed, installed into an empty project, and
 * type-checked there; its sizes, its declarations, what they add to a type check, and that its types
 * know every event.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { buildSync } from 'esbuild'

const unpackedMaxBytes = 300_000
const oneOperationMaxBytes = 6_144
const typeCheckMaxSeconds = 0.2
/** At most; at least three. */
const typeCheckRounds = 11
const compilers = ['typescript', 'typescript-5']

const folder = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'docex-'))
const run = (file, args, cwd = folder) => execFileSync(file, args, { cwd, encoding: 'utf8' })
const bin = (name) => join(folder, 'node_modules', '.bin', name)

const esm = `
import { Docex, ApiError, type Event } from 'docex'
import { constructEvent, signPayload } from 'docex/webhooks'
import { createClient, documentsCreate } from 'docex/functions'
import { FileKeyStore } from 'docex/file-key-store'
import { ReceiptError, Receipts } from 'docex/receipts'
import { FileReceiptStore } from 'docex/file-receipt-store'

const docex = new Docex({ apiKey: 'rk_test_x', baseUrl: 'http://localhost:1', keyStore: new FileKeyStore('k') })
export const { documents } = docex
export const witness = new Docex({ receipts: new Receipts(new FileReceiptStore('r')) })
export const isOlder = (error: unknown): boolean => error instanceof ReceiptError && error.reason === 'older'
export const told = (event: Event): string => {
  switch (event.type) {
    case 'payment.settled': return event.data.payment.id
    case 'payment.failed': return event.data.reason
    default: return event.data.document.id
  }
}
export const moves = (error: unknown): string[] =>
  error instanceof ApiError && error.is('conflict') ? (error.details.allowed ?? []) : []
export const made = () =>
  documentsCreate(createClient({ apiKey: 'x' }), { connection_id: 'con_1', document_type: 'invoice', line_items: [] })
export const unset = (text: string | undefined, number: number | undefined) => [
  docex.attachments.create('doc_1', { filename: 'x', content: 'x', contentType: text, fields: undefined }),
  docex.documents.list({ query: text }).toArray({ limit: number }),
  constructEvent('{}', text, 's', { now: number }),
  signPayload('{}', 's', { now: number }),
]
// @ts-expect-error a misspelt field
export const misspelt = () => docex.documents.create({ connection_id: 'con_1', document_type: 'invoice', line_itms: [] })
export const signed = async () => constructEvent('{}', await signPayload('{}', 's'), 's')
`
const cjs = `
import docex = require('docex')
import webhooks = require('docex/webhooks')
import functions = require('docex/functions')
import receipts = require('docex/receipts')
import { documentsGet } from 'docex/functions'
import type * as modules from 'docex' with { 'resolution-mode': 'import' }
const client: docex.Docex = new docex.Docex({ apiKey: 'rk_test_x', baseUrl: 'http://localhost:1' })
export const page: docex.ListPromise<docex.DocumentRecord> = client.documents.list()
export const construct = webhooks.constructEvent
export const same: typeof modules = docex
export const kept: receipts.Receipts = new receipts.Receipts(new receipts.MemoryReceiptStore())
const functionsClient: functions.Client = functions.createClient({ apiKey: 'x' })
export const read = async (): Promise<docex.DocumentRecord> => documentsGet(functionsClient, 'doc_1')
export const isConflict = (error: docex.ApiError): boolean => error.is('conflict')
`
const imports = {
  without: 'export const total = (amounts: number[]): number => amounts.reduce((a, b) => a + b, 0)',
  with: `import { Docex } from 'docex'
const docex = new Docex({ apiKey: 'rk_test_x' })
export const made = () =>
  docex.documents.create({ connection_id: 'con_1', document_type: 'invoice', line_items: [] })`,
}

/** The processor time of a command and its children, as POSIX `times` prints it. */
const secondsOf = (command) => {
  const times = run('sh', ['-c', `${command} && times`])
    .trim()
    .split('\n')
    .at(-1)
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)]
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/**
 * What the import adds to a type check with the options that `tsc --init` writes. Other work on the
 * machine only makes a run longer, so the shortest runs are compared; the medians are printed, too.
 */
const typeCheckSeconds = (compiler) => {
  const taken = { without: [], with: [] }
  const added = (pick) => pick(taken.with) - pick(taken.without)
  const shortest = (values) => Math.min(...values)
  for (let round = 1; round <= typeCheckRounds; round += 1) {
    for (const [name, times] of Object.entries(taken)) {
      times.push(secondsOf(`'${process.execPath}' '${tscOf(compiler)}' -p '${projectOf(name)}'`))
    }
    if (round > 2 && added(shortest) <= typeCheckMaxSeconds) break
  }
  return { shortest: added(shortest), median: added(median) }
}

const tscOf = (compiler) => join(folder, 'node_modules', compiler, 'bin', 'tsc')
const projectOf = (name) => join(project, `tsconfig.${name}.json`)

const checkTypeCheckTimes = (compilerOptions) => {
  for (const [name, text] of Object.entries(imports)) {
    writeFileSync(join(project, `${name}.ts`), text)
    const options = { ...compilerOptions, skipLibCheck: true }
    const config = { compilerOptions: options, files: [`${name}.ts`] }
    writeFileSync(projectOf(name), JSON.stringify(config))
  }
  return compilers.map((compiler) => {
    const { shortest, median: middle } = typeCheckSeconds(compiler)
    assert(shortest <= typeCheckMaxSeconds, `${compiler}: ${shortest} s more for a type check`)
    return `${compiler} ${shortest.toFixed(2)} s (of medians ${middle.toFixed(2)} s)`
  })
}

const runs = (load) => `${load}
const sign = async () => {
  const header = await signPayload('{"type":"ping"}', 'secret')
  const { type } = await constructEvent('{"type":"ping"}', header, 'secret')
  const docex = new Docex({ apiKey: 'rk_test_x', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
  const error = await docex.me.get().catch((error) => error)
  if (type !== 'ping' || !(error instanceof ConnectionError)) throw new Error('It does not work.')
}
sign()
`

try {
  run(process.execPath, ['scripts/build.mjs'])
  const packed = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project]),
  )
  const { filename, unpackedSize } = [packed].flat()[0] ?? Object.values(packed)[0]
  assert(unpackedSize <= unpackedMaxBytes, `${unpackedSize} bytes unpacked`)
  const tarball = join(project, filename)
  run(bin('publint'), [tarball, '--strict'])
  run(bin('attw'), [tarball, '--profile', 'node16'])

  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', '--offline', tarball], project)
  writeFileSync(join(project, 'esm.ts'), esm)
  writeFileSync(join(project, 'cjs.cts'), cjs)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    // A library that exports what it has of the package can name its types.
    declaration: true,
    exactOptionalPropertyTypes: true,
    types: [],
    skipLibCheck: false,
  }
  const files = ['esm.ts', 'cjs.cts']
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  for (const compiler of compilers) run(process.execPath, [tscOf(compiler), '-p', project])
  const added = checkTypeCheckTimes(compilerOptions)

  const names = '{ Docex, ConnectionError }'
  const more = '{ constructEvent, signPayload }'
  const [asModule, asCommonJs] = [join(project, 'run.mjs'), join(project, 'run.cjs')]
  writeFileSync(
    asModule,
    runs(`import ${names} from 'docex'\nimport ${more} from 'docex/webhooks'`),
  )
  writeFileSync(
    asCommonJs,
    runs(`const ${names} = require('docex')\nconst ${more} = require('docex/webhooks')`),
  )
  for (const file of [asModule, asCommonJs]) run(process.execPath, [file], project)

  mkdirSync(join(project, 'bundle'))
  const contents = `import { createClient, documentsCreate } from 'docex/functions'
export const create = (body) => documentsCreate(createClient({}), body)`
  buildSync({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outfile: join(project, 'bundle', 'one.js'),
  })
  const [bundle] = readdirSync(join(project, 'bundle'))
  const text = run('cat', [join(project, 'bundle', bundle)])
  const size = brotliCompressSync(text).length
  assert(size <= oneOperationMaxBytes, `one operation has ${size} bytes`)
  const bytes = statSync(tarball).size
  console.log(`docex: ${bytes} bytes packed, ${unpackedSize} unpacked, one operation ${size}`)
  console.log(`added to a type check: ${added.join(', ')}`)
} finally {
  rmSync(project, { recursive: true, force: true })
}
