/**
 * The console: the files that its build has left, from memory, under /app. An address of the app
 * that is no file is answered with the app itself, which shows what the address names.
 */
import { hash } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import Negotiator from 'negotiator'
import { refuse } from '../../contract/errors.ts'
import { matchesWeakly } from '../../core/etag.ts'
import type { Exchange } from '../exchange.ts'
import { send } from '../respond.ts'
import { type Page, publicPage } from './page.ts'

interface ConsoleFile {
  bytes: Buffer
  /** The same, compressed by the build. */
  brotli: Buffer | undefined
  etag: string
  headers: Readonly<Record<string, string>>
}

/** By their paths in the build, such as `assets/index-4f2a.js`. */
type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const startFile = 'index.html'

/**
 * Nothing from elsewhere, and no script or style that is not a file of the build. Frames show what
 * the console has read itself: the PDF of a document.
 */
const consoleSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; frame-src blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const startHeaders = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': consoleSecurityPolicy,
  'Content-Security-Policy-Report-Only': "require-trusted-types-for 'script'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The page for the folder that the build writes; it may be built while the service runs. */
export const consolePage = (folder: string): Page => {
  const filesNow = openFiles(folder)
  const page = publicPage('/app', async (exchange) => {
    const files = await filesNow()
    const path = (exchange.request.url ?? '').split('?')[0]!.replace(/^\/app\/?/, '')
    const file = files?.get(path) ?? (extname(path) === '' ? files?.get(startFile) : undefined)
    if (file === undefined) throw notThere(files === undefined, path)
    sendFile(exchange, file)
  })
  return { ...page, pathPrefix: '/app/' }
}

const notThere = (isUnbuilt: boolean, path: string) => {
  const message = isUnbuilt
    ? 'The console is not built here. Run `npm run build` in the folder of the service, and load this page again.'
    : `The console has no file ${path}.`
  return refuse('not_found', message, { resource: 'route', id: `/app/${path}` })
}

const sendFile = (exchange: Exchange, { bytes, brotli, etag, headers }: ConsoleFile): void => {
  const { request } = exchange
  const isCompressed =
    brotli !== undefined && new Negotiator(request).encoding(['br', 'identity']) === 'br'
  const shown = {
    ...headers,
    // Weak, because the bytes differ by encoding.
    ETag: `W/${etag}`,
    ...(brotli === undefined ? {} : { Vary: 'Accept-Encoding' }),
    ...(isCompressed ? { 'Content-Encoding': 'br' } : {}),
  }
  if (matchesWeakly(request.headers['if-none-match'] ?? '', etag)) {
    send(exchange, 304, '', shown)
    return
  }
  const sent = isCompressed ? brotli : bytes
  send(exchange, 200, sent, shown)
}

/** Undefined while nothing is built. Read again when the build has written another start page. */
const openFiles = (folder: string): (() => Promise<ConsoleFiles | undefined>) => {
  let read: { version: string; files: Promise<ConsoleFiles> } | undefined
  return async () => {
    const start = await stat(join(folder, startFile)).catch(() => undefined)
    if (start === undefined) return undefined
    const version = `${start.mtimeMs} ${start.size}`
    if (read?.version !== version) read = { version, files: readFiles(folder) }
    return read.files
  }
}

const readFiles = async (folder: string): Promise<ConsoleFiles> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
  const compressed = new Set(paths.filter((path) => path.endsWith('.br')))
  const files = paths
    .filter((path) => !compressed.has(path))
    .map(async (path): Promise<[string, ConsoleFile]> => {
      const bytes = await readFile(join(folder, path))
      const hasBrotli = compressed.has(`${path}.br`)
      const brotli = hasBrotli ? await readFile(join(folder, `${path}.br`)) : undefined
      const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
      return [path.replaceAll('\\', '/'), { bytes, brotli, etag, headers: headersOf(path) }]
    })
  return new Map(await Promise.all(files))
}

/** The build puts a hash of the content into the names below `assets`. */
const headersOf = (path: string): Readonly<Record<string, string>> => {
  const type = mediaTypes[extname(path)] ?? 'application/octet-stream'
  if (path === startFile) return { 'Content-Type': type, ...startHeaders }
  const isHashed = path.startsWith('assets/')
  return {
    'Content-Type': type,
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Security-Policy': consoleSecurityPolicy,
  }
}
