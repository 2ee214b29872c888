/**
 * Builds the package with the compiler alone: JavaScript without comments as ES modules and as
 * CommonJS, and the declarations, whose comments editors show. The large declarations exist once:
 * CommonJS refers to those of the ES modules.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const dist = `${folder}dist`

const tsc = (...flags) =>
  execFileSync(
    process.execPath,
    [`${folder}node_modules/typescript/bin/tsc`, '-p', folder, ...flags],
    { stdio: 'inherit' },
  )

/** The modules whose declarations CommonJS takes over, and the values that they export. */
const shared = {
  'generated/types': [],
  'generated/resources': ['Docex'],
  'api-promise': ['ApiPromise<T>'],
  lists: ['ListPromise<T>', 'Page<T>'],
}

/** Functions are values alone: their module has no type. */
const sharedFunctions = (text) => {
  const names = [...text.matchAll(/^export declare const (\w+)/gm)].map(([, name]) => name)
  const values = names.map((name) => `export declare const ${name}: typeof esm.${name}\n`)
  const asModule = `with { 'resolution-mode': 'import' }`
  const from = `'../../esm/generated/functions.js' ${asModule}`
  return `import type * as esm from ${from}\n${values.join('')}`
}

const declarationsOfCommonJs = (name, text) => {
  if (name === 'generated/functions') return sharedFunctions(text)
  return shared[name] ? sharedDeclarations(name, shared[name]) : text
}

const sharedDeclarations = (name, values) => {
  const from = `'${name.includes('/') ? '../..' : '..'}/esm/${name}.js'`
  const asModule = `with { 'resolution-mode': 'import' }`
  const classes = values.map((value) => {
    const bare = value.replace('<T>', '')
    return `export type ${value} = esm.${value}\nexport declare const ${bare}: typeof esm.${bare}\n`
  })
  const rest = `export type * from ${from} ${asModule}\n`
  return values.length === 0
    ? rest
    : `import type * as esm from ${from} ${asModule}\n${rest}${classes.join('')}`
}

rmSync(dist, { recursive: true, force: true })
tsc('--removeComments')
const commonJs = [
  '--module',
  'commonjs',
  '--moduleResolution',
  'bundler',
  '--outDir',
  `${dist}/cjs`,
]
tsc('--removeComments', ...commonJs)
tsc('--declaration', '--emitDeclarationOnly')
for (const file of readdirSync(`${dist}/esm`, { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue
  const text = readFileSync(`${dist}/esm/${file}`, 'utf8').replaceAll(
    /(from ')(\..*?)\.ts'/g,
    "$1$2.js'",
  )
  const name = file.slice(0, -'.d.ts'.length)
  writeFileSync(`${dist}/esm/${file}`, text)
  writeFileSync(`${dist}/cjs/${file}`, declarationsOfCommonJs(name, text))
}
// The compiler indents by four spaces, which are a tenth of the package.
for (const file of readdirSync(dist, { recursive: true })) {
  if (!/\.(js|d\.ts)$/.test(file)) continue
  const text = readFileSync(`${dist}/${file}`, 'utf8')
  const indented = text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
  // `exports.a = exports.b = … = void 0` announces what is assigned below.
  const assigned = indented.replaceAll(/^(?:exports\.\w+ = )+void 0;\n/gm, '')
  writeFileSync(`${dist}/${file}`, assigned)
}
writeFileSync(`${dist}/cjs/package.json`, '{ "type": "commonjs" }\n')
