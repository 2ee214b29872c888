/** Builds the console into `dist/`, with a compressed copy beside each text for the server to send. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import { type Plugin, defineConfig } from 'vite'

const compressedCopies: Plugin = {
  name: 'compressed-copies',
  apply: 'build',
  writeBundle({ dir: folder }) {
    if (folder === undefined) return
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|html|svg)$/.test(name)) continue
      const path = join(folder, name)
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
    }
  },
}

const service = process.env['SERVICE_URL'] ?? 'http://localhost:8080'
const toService = { target: service, headers: { origin: service } }

/** The published verifier runs in the browser as it is; only Node.js is another one there. */
const proof = join(import.meta.dirname, 'src/proof')
const verifierAliases = {
  'node:crypto': join(proof, 'node-crypto.ts'),
  'node:fs': join(proof, 'node-files.ts'),
  'node:url': join(proof, 'node-files.ts'),
  'node:zlib': join(proof, 'node-files.ts'),
}

/** React has had this hook for long; the shim brings one of its own for versions without it. */
const hookAliases = { 'use-sync-external-store/shim': 'use-sync-external-store' }

/** It runs in browsers only: what libraries do elsewhere is left out. */
const inBrowsers = { 'typeof document': '"object"', 'typeof window': '"object"' }

/** What every browser that can run a build has: no library needs its own for one without it. */
const functions = [
  'AbortController',
  'MessageChannel',
  'Promise',
  'WeakMap',
  'clearTimeout',
  'queueMicrotask',
  'reportError',
  'setTimeout',
]

/** A build does not look for the developer tools of React, and only Node.js has `setImmediate`. */
const absent = ['__REACT_DEVTOOLS_GLOBAL_HOOK__', 'setImmediate']

const typesOf = (names: readonly string[], type: string) =>
  Object.fromEntries(names.map((name) => [`typeof ${name}`, JSON.stringify(type)]))

const inBuilds = {
  ...inBrowsers,
  ...typesOf(functions, 'function'),
  ...typesOf(absent, 'undefined'),
}

/** Whatever loads a part was loaded by the entry itself, so no part has to name its files. */
const isLater = (name: string): boolean => !/\/(rolldown-runtime|entry)-.{8}\.(js|css)$/.test(name)

/**
 * What every page has is one file, and the frame of an organization's pages another. What several
 * pages share follows, each group with all that it imports: by default, that would be twenty files
 * for a list. What only one page or one dialog has stays apart.
 */
const groups = [
  { name: 'entry', test: /\/src\/main\.tsx$/ },
  {
    name: 'frame',
    test: /\/(shell\/shell|api\/(all-rows|curl|permissions|parties)|design\/(party-name|select)|home\/marked-steps|documents\/(document-names|payable|views)|contract\/(document-phases|payers))\.tsx?$/,
  },
  { name: 'field', test: /\/(design\/field|documents\/(kept-texts|totals|step-text))\.tsx?$/ },
  {
    name: 'table',
    test: /\/(design\/(table|download-button)|payments\/payment-words|documents\/(loaded-pages|list-of-documents))\.tsx?$/,
  },
  {
    name: 'list',
    test: /\/(design\/(list-page|document-number)|contract\/(role-names|currencies))\.tsx?$/,
  },
  { name: 'views', test: /\/design\/(selection-bar|typed-text|saved-views|day-range)\.tsx?$/ },
  { name: 'document-line', test: /\/documents\/(document-line|view-texts)\.tsx?$/ },
  { name: 'moves', test: /\/(documents\/moves|payments\/missing|contract\/document-types)\.ts$/ },
  { name: 'charts', test: /\/(design\/in-view|home\/days)\.ts$/ },
  { name: 'dialog', test: /\/design\/dialog\.tsx$/ },
  {
    name: 'form',
    test: /\/(design\/select-field|documents\/(draft|kept-drafts)|api\/dry-run|react-router\/dist\/esm\/useBlocker)\.(tsx?|js)$/,
  },
  { name: 'document', test: /\/documents\/(document-page|document-dialogs|lines)\.tsx?$/ },
  { name: 'home', test: /\/home\/(home-page|warnings)\.tsx$/ },
  { name: 'approvals', test: /\/approvals\/(approvers|rule-texts)\.tsx?$/ },
  {
    name: 'requests',
    test: /\/developers\/(requests-page|call-charts|status-tone|caller-name)\.tsx?$/,
  },
  {
    name: 'sign-in',
    test: /\/(sign-in\/(entry-form|code-form|link-token)|api\/(sign-in|sign-in-methods|device-codes))\.tsx?$/,
  },
].map((group, index, { length }) => ({ ...group, priority: length - index }))

export default defineConfig(({ command }) => ({
  base: '/app/',
  define: command === 'build' ? inBuilds : inBrowsers,
  resolve: { alias: { ...verifierAliases, ...hookAliases } },
  plugins: [tailwindcss(), compressedCopies],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false, resolveDependencies: (_, names) => names.filter(isLater) },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 300,
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      // Hashes do not compress, and the entry names some eighty files: digits of 4 bits are shorter.
      output: { codeSplitting: { groups }, hashCharacters: 'hex' },
    },
  },
  server: { port: 5173, proxy: { '/v1': toService, '/auth': toService, '/files': toService } },
}))
