/** Builds the console into `dist/`, with a compressed copy beside each text for the server to send. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import { type Plugin, defineConfig } from 'vite'

const compressedCopies: Plugin = {
  name: 'compressed-copies',
  apply: 'build',
  closeBundle() {
    const folder = join(import.meta.dirname, 'dist')
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

/**
 * What every page has is one file, and what the first screen of a signed-in person has is another,
 * each with all that it imports: by default, the parts that pages share are twenty files. What other
 * pages and dialogs add stays apart.
 */
const groups = [
  { name: 'entry', test: /\/src\/main\.tsx$/, priority: 2 },
  { name: 'home', test: /\/src\/(shell\/shell|overview\/[a-z-]+)\.tsx$/, priority: 1 },
]

export default defineConfig({
  base: '/app/',
  resolve: { alias: verifierAliases },
  plugins: [tailwindcss(), compressedCopies],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 300,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { port: 5173, proxy: { '/v1': toService, '/auth': toService, '/files': toService } },
})
