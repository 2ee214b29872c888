/**
 * Renders the docs as one self-contained HTML page: it loads no script, image, font or any other
 * file. All text from outside this file is escaped.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Block, type Docs, type Section, parseInline } from '../blocks.ts'

const stylesheet = readFileSync(new URL('../../../docs/site/docs.css', import.meta.url), 'utf8')

const styleHash = createHash('sha256').update(stylesheet).digest('base64')

/** Allows only the stylesheet of the page, by its hash. */
export const contentSecurityPolicy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const renderHtml = (docs: Docs): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(docs.title)}</title>
<meta name="description" content="${escaped(docs.summary)}">
<link rel="alternate" type="text/markdown" href="${escaped(docs.baseUrl)}/v1/docs.md">
<link rel="service-desc" type="application/json" href="${escaped(docs.baseUrl)}/v1/openapi.json">
<style>${stylesheet}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="product">${escaped(docs.title)} <span class="version">${escaped(docs.version)}</span></p>
<p class="formats">${formats(docs)}</p>
</header>
<nav aria-label="Contents">
${docs.sections.map(navigation).join('\n')}
</nav>
<main id="content">
<h1>${escaped(docs.title)}</h1>
<p class="summary">${inline(docs.summary)}</p>
${docs.sections.map((section) => sectionHtml(section, 2)).join('\n')}
</main>
</body>
</html>
`

const formats = ({ baseUrl }: Docs): string =>
  [
    ['Markdown', '/v1/docs.md'],
    ['OpenAPI', '/v1/openapi.json'],
    ['llms.txt', '/llms.txt'],
  ]
    .map(([name, path]) => `<a href="${escaped(`${baseUrl}${path}`)}">${name}</a>`)
    .join(' ')

/** A single link, or a collapsible group of links. */
const navigation = ({ id, title, sections = [] }: Section): string => {
  const link = `<a href="#${escaped(id)}">${escaped(title)}</a>`
  if (sections.length === 0) return `<p>${link}</p>`
  const items = sections.map((one) => `<li>${linkTo(one)}${nestedLinks(one)}</li>`).join('')
  return `<details><summary>${escaped(title)}</summary><ul><li>${linkTo({ id, title: 'Overview' })}</li>${items}</ul></details>`
}

const nestedLinks = ({ sections = [] }: Section): string =>
  sections.length === 0
    ? ''
    : `<ul>${sections.map((one) => `<li>${linkTo(one)}</li>`).join('')}</ul>`

const linkTo = ({ id, title }: Pick<Section, 'id' | 'title'>): string =>
  `<a href="#${escaped(id)}">${inline(title)}</a>`

const sectionHtml = (section: Section, level: number): string => {
  const { id, title, blocks, sections = [] } = section
  const anchor = `<a class="anchor" href="#${escaped(id)}" aria-label="Link to this section">#</a>`
  const inner = sections.map((one) => sectionHtml(one, Math.min(level + 1, 6))).join('\n')
  return `<section id="${escaped(id)}">
<h${level}>${inline(title)} ${anchor}</h${level}>
${blocks.map(blockHtml).join('\n')}
${inner}</section>`
}

const blockHtml = (block: Block): string => {
  switch (block.kind) {
    case 'text':
      return `<p>${inline(block.text)}</p>`
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul'
      return `<${tag}>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`
    }
    case 'code':
      return `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`
    case 'call':
      return `<p class="call"><span class="method">${escaped(block.method)}</span> <code>${escaped(block.path)}</code></p>`
    default:
      return tableHtml(block.columns, block.rows)
  }
}

const tableHtml = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const head = columns.map((column) => `<th scope="col">${inline(column)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n')
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div>`
}

const cell = (content: string): string => `<td>${inline(content)}</td>`

const inline = (content: string): string =>
  parseInline(content)
    .map((span) => {
      const html = escaped(span.text)
      if (span.kind === 'plain') return html
      if (span.kind === 'link') return `<a href="${escaped(span.target)}">${inline(span.text)}</a>`
      return span.kind === 'code' ? `<code>${html}</code>` : `<strong>${html}</strong>`
    })
    .join('')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (content: string): string =>
  content.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
