/**
 * Every text of the docs by its path: pages as HTML and as Markdown, and the files that pages load.
 * These are in a folder named by their hash, so that a browser may keep them for good.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { docsPath, pagePath } from '../addresses.ts'
import { type Docs, pagesOf } from '../blocks.ts'
import { renderMarkdown, renderPageMarkdown } from './markdown.ts'
import { contentSecurityPolicy, docsPageHtml, frontPageHtml } from './page.ts'
import { searchIndexOf } from './search-index.ts'

export interface SiteText {
  text: string
  etag: string
  headers: Readonly<Record<string, string> & { 'Content-Type': string }>
}

const pageFile = (name: string): string =>
  readFileSync(new URL(`../../../docs/site/${name}`, import.meta.url), 'utf8')

const scripts = ['theme.js', 'docs.js', 'search.js', 'try.js', 'try-credentials.js']

const pageFiles: readonly [name: string, type: string, text: string][] = [
  ['docs.css', 'text/css; charset=utf-8', pageFile('docs.css')],
  ['icon.svg', 'image/svg+xml', pageFile('icon.svg')],
  ...scripts.map((name): [string, string, string] => [
    ...([name, 'text/javascript; charset=utf-8', pageFile(name)] as const),
  ]),
]

const htmlHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept',
}

const markdownHeaders = { 'Content-Type': 'text/markdown; charset=utf-8', Vary: 'Accept' }

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** `/v1/docs` and `/v1/docs/<page>` are HTML, the same with `.md` Markdown; and the index. */
export const siteOf = (docs: Docs): ReadonlyMap<string, SiteText> => {
  const site = new Map<string, SiteText>()
  const add = (path: string, text: string, headers: SiteText['headers']) =>
    site.set(path, { text, etag: `"${hashOf(text)}"`, headers })
  const index = JSON.stringify(searchIndexOf(docs))
  const files = [...pageFiles, ['search.json', 'application/json; charset=utf-8', index] as const]
  const folder = `${docsPath}/assets/${hashOf(files.map(([, , text]) => text).join('\n'))}`
  for (const [name, type, text] of files) {
    add(`${folder}/${name}`, text, { 'Content-Type': type, 'Cache-Control': keptForGood })
  }
  add(`${docsPath}/search.json`, index, { 'Content-Type': 'application/json; charset=utf-8' })
  add(docsPath, frontPageHtml(docs, folder), htmlHeaders)
  add(`${docsPath}.md`, renderMarkdown(docs), markdownHeaders)
  for (const page of pagesOf(docs)) {
    add(pagePath(page.id), docsPageHtml(docs, page, folder), htmlHeaders)
    add(`${pagePath(page.id)}.md`, renderPageMarkdown(docs, page), markdownHeaders)
  }
  return site
}

const keptForGood = 'public, max-age=31536000, immutable'
