/**
 * Builds the package: the compiler writes ES modules, CommonJS and the declarations, whose comments
 * editors show; esbuild takes comments and white space out of the JavaScript and keeps its names. The
 * declarations exist once: the entries of CommonJS take over those of the ES modules.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const folder = fileURLToPath(new URL('..', import.meta.url))
const dist = `${folder}dist`

const tsc = (...flags) =>
  execFileSync(
    process.execPath,
    [`${folder}node_modules/typescript/bin/tsc`, '-p', folder, ...flags],
    { stdio: 'inherit' },
  )

/** The entries whose values are few, with those that are functions, and those that are classes. */
const entries = {
  index: [
    [],
    [
      'ApiPromise<T>',
      'ListPromise<T>',
      'Page<T>',
      'Docex',
      'DocexError',
      'ConnectionError',
      'TimeoutError',
      'SignatureError',
      'ApiError<T extends esm.ErrorCode = esm.ErrorCode>',
    ],
  ],
  webhooks: [['constructEvent', 'signPayload'], ['SignatureError']],
  'file-key-store': [[], ['FileKeyStore']],
  receipts: [[], ['Receipts', 'MemoryReceiptStore', 'ReceiptError']],
  'file-receipt-store': [[], ['FileReceiptStore']],
}

/** CommonJS cannot export everything of an ES module, but its types and what it names. */
const commonJsDeclaration = (entry, [functions, classes]) => {
  const from = `from '../esm/${entry}.js' with { 'resolution-mode': 'import' }\n`
  const value = (name) => `export declare const ${name}: typeof esm.${name}\n`
  const both = classes.map((type) => {
    const [name] = type.split('<')
    return `${value(name)}export type ${type} = esm.${type.replace(/ extends [^>]*/, '')}\n`
  })
  return `import type * as esm ${from}export type * ${from}${[...functions.map(value), ...both].join('')}`
}

/** Functions are too many to name, so the module is one value, whose types are named. */
const functionsDeclaration = `import type * as esm from '../esm/functions.js' with { 'resolution-mode': 'import' }
declare const functions: typeof esm
declare namespace functions {
	export type Client = esm.Client
	export type ClientOptions = esm.ClientOptions
}
export = functions
`

/** No declaration of an entry leads to these. */
const internalDeclarations = ['changes', 'retries', 'version']

const filesOf = (ending) =>
  readdirSync(dist, { recursive: true })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${dist}/${file}`)

const rewrite = (file, change) => writeFileSync(file, change(readFileSync(file, 'utf8')))

/** Names stay, for stack traces. A module with marks for bundlers keeps its lines, and so the marks. */
const withoutComments = (text) => {
  const minifyWhitespace = !text.includes('/* @__PURE__ */')
  // `exports.a = exports.b = … = void 0` announces what is assigned below.
  const assigned = text.replaceAll(/^(?:exports\.\w+ = )+void 0;\n/gm, '')
  return transformSync(assigned, { minifyWhitespace, minifySyntax: true, target: 'es2022' }).code
}

/**
 * The compiler indents by four spaces, the lines of comments by one more, ends lines with `;` and
 * keeps the `.ts` of the source, and the first line of a generated file.
 */
const compactDeclaration = (text) =>
  text
    .replace(/^\/\*\* Generated .*\n/, '')
    .replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
    .replaceAll(/^(\t*) \*/gm, '$1*')
    .replaceAll(/;$/gm, '')
    .replaceAll(/((?:from |import\()['"])(\..*?)\.ts(['"])/g, '$1$2.js$3')

rmSync(dist, { recursive: true, force: true })
tsc()
const commonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler']
tsc(...commonJs, '--outDir', `${dist}/cjs`)
for (const file of filesOf('.js')) rewrite(file, withoutComments)
tsc('--declaration', '--emitDeclarationOnly')
for (const module of internalDeclarations) rmSync(`${dist}/esm/${module}.d.ts`)
for (const file of filesOf('.d.ts')) rewrite(file, compactDeclaration)
for (const [entry, values] of Object.entries(entries)) {
  writeFileSync(`${dist}/cjs/${entry}.d.ts`, commonJsDeclaration(entry, values))
}
writeFileSync(`${dist}/cjs/functions.d.ts`, functionsDeclaration)
writeFileSync(`${dist}/cjs/package.json`, '{ "type": "commonjs" }\n')
