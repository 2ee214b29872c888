/** The docs page has stable anchors, makes no external requests and escapes its content. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { documentTypeNames } from '../../src/contract/document-types.ts'
import { errorCodes } from '../../src/contract/errors.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { contentSecurityPolicy, renderHtml } from '../../src/docs/rendering/html.ts'
import { renderLlmsTxt } from '../../src/docs/rendering/llms-txt.ts'
import { renderMarkdown } from '../../src/docs/rendering/markdown.ts'
import { flattenSections, parseInline } from '../../src/docs/blocks.ts'
import { openApiDocument } from '../../src/docs/openapi/openapi-document.ts'
import { operations } from '../../src/operations/index.ts'

const config = readConfig({ BASE_URL: 'https://docs.example/base' })
const docs = docsOf(operations, config)
const page = renderHtml(docs)
const text = renderMarkdown(docs)
const served = operations.filter(({ isUnversioned }) => isUnversioned !== true)

const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)

test('7 the error codes equal the anchors errors-* and the codes of the OpenAPI document', () => {
  const anchors = ids.filter((id) => id.startsWith('errors-')).map((id) => id.slice(7))
  const specified = openApiDocument(operations, config.baseUrl).components.schemas['ErrorBody']
  assert.deepEqual(anchors, errorCodes)
  assert.deepEqual(Object.keys(specified?.discriminator?.mapping ?? {}), errorCodes)
})

test('every operation has a section under its id', () => {
  for (const { id } of served) assert(ids.includes(id), `${id} has no section`)
})

test('no two examples share an Idempotency-Key, so that they can be tried in sequence', () => {
  const keys = [...text.matchAll(/Idempotency-Key: ([^']+)'/g)].map(([, key]) => key!)
  assert(keys.length >= served.filter(({ method }) => method !== 'GET').length)
  assert.deepEqual(keys.toSorted(), [...new Set(keys)].toSorted())
  for (const key of keys) assert.match(key, /^[\x21-\x7e]{8,128}$/)
})

test('code in the text of a link is shown as code', () => {
  assert.match(page, /<a href="#me\.get"><code>GET \/v1\/me<\/code><\/a>/)
  assert.doesNotMatch(page.replaceAll(/<pre[\s\S]*?<\/pre>/g, ''), /`/)
})

test('every document type has its section', () => {
  for (const name of documentTypeNames) assert(ids.includes(`document-types-${name}`), name)
})

test('ids are unique, and every link inside the page points at one', () => {
  assert.equal(new Set(ids).size, ids.length)
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) {
    assert(ids.includes(target!), `#${target} leads nowhere`)
  }
})

test('the page loads nothing: no script, image, frame, font or style', () => {
  assert.doesNotMatch(page, /<(script|img|iframe|object|embed|video|audio|source|form|base)\b/i)
  assert.doesNotMatch(page, /\ssrc(set)?=|\sstyle=|\son\w+=|url\(|@import/i)
  for (const [link] of page.matchAll(/<link [^>]*>/g)) {
    assert.match(link, /rel="(alternate|service-desc)"/)
  }
})

test('the content security policy allows exactly the stylesheet of the page', () => {
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
  const hash = createHash('sha256').update(style!).digest('base64')
  assert.match(contentSecurityPolicy, /^default-src 'none';/)
  assert(contentSecurityPolicy.includes(`style-src 'sha256-${hash}';`))
})

test('tags are nested correctly', () => {
  const open: string[] = []
  const empty = new Set(['meta', 'link', '!doctype'])
  for (const [, slash, name] of page.matchAll(/<(\/?)([a-z!][a-z0-9]*)[^>]*>/gi)) {
    const tag = name!.toLowerCase()
    if (empty.has(tag)) continue
    if (slash === '') open.push(tag)
    else assert.equal(open.pop(), tag)
  }
  assert.deepEqual(open, [])
})

test('a configured value is escaped', () => {
  const hostile = readConfig({ BASE_URL: 'http://x/"><script>alert(1)</script>' })
  const shown = renderHtml(docsOf(operations, hostile))
  assert(!shown.includes('<script'))
  assert(shown.includes('http://x/&quot;&gt;&lt;script&gt;'))
})

test('every address uses the base URL of the deployment', () => {
  const all = [page, text, renderLlmsTxt(docs, operations)]
  for (const rendered of all) {
    assert(!rendered.includes('localhost'))
    assert(rendered.includes(config.baseUrl))
  }
})

test('HTML and Markdown have the same sections', () => {
  const headings = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#{2,6} (.*)$/gm)]
  assert.deepEqual(
    headings.map(([, heading]) => heading),
    flattenSections(docs.sections).map(({ title }) => title),
  )
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
    renderMarkdown(docsOf(operations, readConfig(settings)))
  const hour = docsWith({ SANDBOX_STEP_MS: '1h', KEY_ROTATION_GRACE: '1h' })
  assert.match(hour, / issue to it, one step every hour of the sandbox’s clock; /)
  assert.match(hour, /The old key keeps working for 1 hour\./)
  assert.match(docsWith({}), / issue to it, one step every 3 seconds of the sandbox’s clock; /)
  assert.match(docsWith({}), /about 1 minute, 5 minutes, 30 minutes, 2 hours and 8 hours \(/)
  const none = docsWith({ SANDBOX_STEP_MS: '0s', KEY_ROTATION_GRACE: '0s' })
  assert.match(none, / issue to it, without a pause; /)
  assert.match(none, /The old key keeps working for 0 seconds\./)
})

test('llms.txt has a title, a summary and links to every operation', () => {
  const lines = renderLlmsTxt(docs, operations).split('\n')
  assert.match(lines[0]!, /^# \S/)
  assert.match(lines[2]!, /^> \S/)
  for (const { id } of served) {
    assert(
      lines.some((line) => line.startsWith(`- [${id}](${config.baseUrl}/v1/docs#${id})`)),
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
