/** The pages of the docs have stable anchors, load only what is theirs and escape their content. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { documentTypeNames } from '../../src/contract/document-types.ts'
import { errorCodes } from '../../src/contract/error-codes.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { renderLlmsTxt } from '../../src/docs/rendering/llms-txt.ts'
import { contentSecurityPolicy } from '../../src/docs/rendering/page.ts'
import { siteOf } from '../../src/docs/rendering/site.ts'
import { flattenSections, pagesOf, parseInline } from '../../src/docs/blocks.ts'
import { openApiDocument } from '../../src/docs/openapi/openapi-document.ts'
import { operations } from '../../src/operations/index.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const config = readConfig({ BASE_URL: 'https://docs.example' })
const docs = docsOf(operations, config)
const site = siteOf(docs)
const textAt = (path: string): string => site.get(path)?.text ?? ''
const text = textAt('/v1/docs.md')
const served = operations.filter(isVersioned)

/** Every HTML page by its path on the deployment. */
const pages = new Map(
  [...site]
    .filter(([, { headers }]) => headers['Content-Type'].startsWith('text/html'))
    .map(([path, page]) => [path, page.text]),
)
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
const eachPage = (check: (html: string, path: string) => void): void => {
  assert(pages.size > 30)
  for (const [path, html] of pages) check(html, path)
}
const allIds = [...pages.values()].flatMap(idsOf)

test('7 the error codes equal the anchors errors-* of /v1/docs and the codes of OpenAPI', () => {
  const specified = openApiDocument(operations, config.baseUrl).components.schemas['ErrorBody']
  assert.deepEqual(Object.keys(specified?.discriminator?.mapping ?? {}), errorCodes)
  for (const path of ['/v1/docs', '/v1/docs/errors']) {
    const anchors = idsOf(textAt(path)).filter((id) => id.startsWith('errors-'))
    assert.deepEqual(
      anchors.map((id) => id.slice(7)),
      errorCodes,
    )
  }
})

test('every operation has a section under its id, on the page of its resource', () => {
  for (const { id } of served) {
    assert.equal(allIds.filter((one) => one === id).length, 1, id)
  }
  assert(idsOf(textAt('/v1/docs/reference-documents')).includes('documents.issue'))
})

test('no two examples share an Idempotency-Key, so that they can be tried in sequence', () => {
  const reference = text.slice(text.indexOf('\n## All operations\n'))
  const keys = [...reference.matchAll(/Idempotency-Key: ([^']+)'/g)].map(([, key]) => key!)
  assert(keys.length >= served.filter(({ method }) => method !== 'GET').length)
  assert.deepEqual(keys.toSorted(), [...new Set(keys)].toSorted())
  for (const key of keys) assert.match(key, /^[\x21-\x7e]{8,128}$/)
})

test('code in the text of a link is shown as code', () => {
  const link = '<a href="/v1/docs/reference-account#me.get"><code>GET /v1/me</code></a>'
  assert(textAt('/v1/docs/paying').includes(link))
  eachPage((html, path) => {
    assert.doesNotMatch(html.replaceAll(/<pre[\s\S]*?<\/pre>/g, ''), /`/, path)
  })
})

test('every document type has its section', () => {
  for (const name of documentTypeNames) assert(allIds.includes(`document-types-${name}`), name)
})

test('ids are unique on a page, and every link on the deployment leads somewhere', () => {
  eachPage((html, path) => {
    const ids = idsOf(html)
    assert.equal(new Set(ids).size, ids.length, path)
    for (const [, href] of html.matchAll(/href="(\/v1\/docs[^"]*|#[^"]*)"/g)) {
      const [page = '', fragment] = href!.split('#')
      const target = page === '' ? html : pages.get(page)
      if (target === undefined) assert(isServed(page), `${path}: ${href}`)
      else assert(fragment === undefined || idsOf(target).includes(fragment), `${path}: ${href}`)
    }
  })
})

/** The verifiers and journeys have routes of their own. */
const isServed = (path: string): boolean =>
  site.has(path) || /^\/v1\/docs\/(verifier|journeys)\//.test(path)

test('ids are unique on all pages together, apart from the error codes on the first', () => {
  const own = pagesOf(docs).flatMap((page) => flattenSections([page]).map(({ id }) => id))
  assert.deepEqual(own.toSorted(), [...new Set(own)].toSorted())
})

test('pages load their own stylesheet and scripts only, and nothing runs inline', () => {
  eachPage((html, path) => {
    assert.doesNotMatch(html, /<(img|iframe|object|embed|video|audio|source|form|base|style)\b/i)
    assert.doesNotMatch(html, /\sstyle=|\son\w+=|url\(|@import/i)
    for (const [tag, content] of html.matchAll(/<script [^>]*>([^<]*)/g)) {
      assert.match(tag, /src="\/v1\/docs\/assets\/[\w-]{22}\/(docs|theme)\.js"/)
      assert.equal(content, '', path)
    }
    for (const [, loaded] of html.matchAll(
      /(?:src|data-search|rel="(?:stylesheet|icon)" href)="([^"]+)"/g,
    )) {
      assert(isServed(loaded!), path)
    }
    for (const [link] of html.matchAll(/<link [^>]*>/g)) {
      assert.match(link, /rel="(alternate|service-desc|canonical|stylesheet|icon)"/)
    }
  })
  const styles = [...site].filter(([path]) => path.endsWith('.css'))
  for (const [, style] of styles) assert.doesNotMatch(style.text, /url\(|@import|https?:/)
})

test('the content security policy allows nothing inline and no other host', () => {
  assert.match(contentSecurityPolicy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(contentSecurityPolicy, /unsafe|https?:|\*|data:/)
})

test('tags are nested correctly', () => {
  const empty = new Set(['meta', 'link', 'input', '!doctype'])
  eachPage((html, path) => {
    const open: string[] = []
    for (const [, slash, name] of html.matchAll(/<(\/?)([a-z!][a-z0-9]*)[^>]*>/gi)) {
      const tag = name!.toLowerCase()
      if (empty.has(tag)) continue
      if (slash === '') open.push(tag)
      else assert.equal(open.pop(), tag, path)
    }
    assert.deepEqual(open, [], path)
  })
})

test('a configured value is escaped', () => {
  const hostile = { ...config, baseUrl: 'http://x/"><script>alert(1)</script>' }
  for (const [path, shown] of siteOf(docsOf(operations, hostile))) {
    if (!shown.headers['Content-Type'].startsWith('text/html')) continue
    assert(!shown.text.includes('<script>'), path)
    assert(shown.text.includes('http://x/&quot;&gt;&lt;script&gt;'), path)
  }
})

test('every address uses the base URL of the deployment', () => {
  const all = [...pages.values(), text, renderLlmsTxt(docs, operations)]
  for (const rendered of all) {
    assert(!rendered.includes('localhost'))
    assert(rendered.includes(config.baseUrl))
  }
})

test('HTML and Markdown have the same sections', () => {
  const headings = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#{2,6} (.*)$/gm)]
  assert.deepEqual(
    headings.map(([, heading]) => heading),
    flattenSections([...docs.front, ...pagesOf(docs)]).map(({ title }) => title),
  )
})

test('the Markdown sets every variable of its examples', () => {
  const firstUse = text.indexOf('$API_KEY')
  assert(text.indexOf('export API_KEY=') < firstUse && text.includes('export CONNECTION_ID='))
  assert.match(renderLlmsTxt(docs, operations), /\(https:\/\/docs.example\/v1\/docs#setup\)/)
})

test('all rows of a Markdown table have the same number of cells', () => {
  const unescaped = text.replaceAll('\\|', '')
  for (const [block] of unescaped.matchAll(/(^\|.*\|\n)+/gm)) {
    const cells = block
      .trimEnd()
      .split('\n')
      .map((row) => row.split('|').length)
    assert.equal(new Set(cells).size, 1, block.slice(0, 200))
  }
})

test('durations of the settings are proper English', () => {
  const docsWith = (settings: Record<string, string>) =>
    siteOf(docsOf(operations, readConfig(settings))).get('/v1/docs.md')?.text ?? ''
  const hour = docsWith({ SANDBOX_STEP_MS: '1h', KEY_ROTATION_GRACE: '1h' })
  assert.match(hour, / issue to it, one step every hour of the sandbox’s clock; /)
  assert.match(hour, /The old key keeps working for 1 hour\./)
  assert.match(docsWith({}), / issue to it, one step every 3 seconds of the sandbox’s clock; /)
  assert.match(docsWith({}), /about 1 minute, 5 minutes, 30 minutes, 2 hours and 8 hours \(/)
  const none = docsWith({ SANDBOX_STEP_MS: '0s', KEY_ROTATION_GRACE: '0s' })
  assert.match(none, / issue to it, without a pause; /)
  assert.match(none, /The old key keeps working for 0 seconds\./)
})

test('a page is Markdown, too', () => {
  for (const { id } of pagesOf(docs)) {
    const [first = ''] = textAt(`/v1/docs/${id}.md`).split('\n')
    assert.match(first, /^# \S/, id)
    assert(text.includes(`#${first}`), id)
  }
})

test('llms.txt has a title, a summary and links to every operation', () => {
  const lines = renderLlmsTxt(docs, operations).split('\n')
  assert.match(lines[0]!, /^# \S/)
  assert.match(lines[2]!, /^> \S/)
  for (const { id } of served) {
    assert(
      lines.some((line) => line.startsWith(`- [${id}](${config.baseUrl}/v1/docs/reference-`)),
      id,
    )
  }
})

test('text is parsed into code, strong, links and plain text', () => {
  assert.deepEqual(parseInline('a `b<` **c** [d](#e) line_items[].x'), [
    { kind: 'plain', text: 'a ' },
    { kind: 'code', text: 'b<' },
    { kind: 'plain', text: ' ' },
    { kind: 'strong', text: 'c' },
    { kind: 'plain', text: ' ' },
    { kind: 'link', text: 'd', target: '#e' },
    { kind: 'plain', text: ' line_items[].x' },
  ])
})

test('no example for a shell has a comment, which a zsh in which somebody types refuses', () => {
  const folder = new URL('../../', import.meta.url)
  const files = ['README.md', 'cli/README.md', ...globSync('docs/operating/*.md', { cwd: folder })]
  const written = files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const blocks = [text, ...written].flatMap((page) => [
    ...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm),
  ])
  assert(blocks.length > 100)
  for (const [block] of blocks) assert.doesNotMatch(block, /(^|\s)# /)
})

test('an example that hides the response of a call says when it was refused', () => {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  const hiding = blocks.filter((block) => block.includes('-o /dev/null'))
  assert(hiding.length > 0)
  for (const block of hiding) assert.match(block, /--fail-with-body .*-o \/dev\/null/)
})
