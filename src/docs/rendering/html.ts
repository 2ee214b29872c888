/** Renders sections and blocks as HTML. All text from outside this file is escaped. */
import { type Block, type Field, type Section, parseInline } from '../blocks.ts'
import { escaped } from '../../core/html-text.ts'
import { highlighted } from './highlight.ts'

/** Where a link in a text leads. */
export type LinkResolver = (target: string) => string

export const sectionHtml = (section: Section, level: number, resolve: LinkResolver): string => {
  const { id, title, blocks, aside, sections = [] } = section
  const anchor = `<a class="anchor" href="#${escaped(id)}" aria-label="Link to this section">#</a>`
  const inner = sections.map((one) => sectionHtml(one, Math.min(level + 1, 6), resolve))
  const heading = `<h${level}>${inlineHtml(title, resolve)} ${anchor}</h${level}>`
  const body = `${heading}\n${blocksHtml(blocks, resolve, id)}`
  const shown =
    aside === undefined
      ? body
      : `<div class="split"><div>${body}</div>\n<div class="aside">${blocksHtml(aside, resolve, `${id}-example`)}</div></div>`
  return `<section id="${escaped(id)}">\n${shown}\n${inner.join('\n')}</section>`
}

/** `place` makes the names of tabs unique on the page. */
export const blocksHtml = (
  blocks: readonly Block[],
  resolve: LinkResolver,
  place: string,
): string => blocks.map((block, i) => blockHtml(block, resolve, `${place}-${i}`)).join('\n')

const blockHtml = (block: Block, resolve: LinkResolver, place: string): string => {
  switch (block.kind) {
    case 'text':
      return `<p>${inlineHtml(block.text, resolve)}</p>`
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul'
      const items = block.items.map((item) => `<li>${inlineHtml(item, resolve)}</li>`)
      return `<${tag}>${items.join('')}</${tag}>`
    }
    case 'code':
      return preHtml(block)
    case 'tabs':
      return tabsHtml(block, place)
    case 'cards':
      return `<ul class="cards">${block.cards
        .map(
          ({ title, target, text }) =>
            `<li><a href="${escaped(resolve(target))}">${escaped(title)}</a><p>${inlineHtml(text, resolve)}</p></li>`,
        )
        .join('\n')}</ul>`
    case 'call':
      return `<p class="call">${methodHtml(block.method)} <code>${escaped(block.path)}</code></p>`
    case 'try':
      return `<div class="try" data-call="${escaped(JSON.stringify(block.call))}"></div>`
    case 'fields':
      return `<dl class="fields">${block.rows.map((row) => fieldHtml(row, resolve)).join('\n')}</dl>`
    default:
      return tableHtml(block.columns, block.rows, resolve)
  }
}

const methodHtml = (method: string): string =>
  `<span class="method${method === 'GET' ? '' : ' write'}">${escaped(method)}</span>`

const preHtml = ({ language, text }: Extract<Block, { kind: 'code' }>): string =>
  `<pre class="language-${language}" tabindex="0"><code>${highlighted(language, text)}</code></pre>`

/** Radio buttons switch the tabs, so that they work without a script. */
const tabsHtml = ({ tabs }: Extract<Block, { kind: 'tabs' }>, place: string): string => {
  const name = escaped(place)
  const choices = tabs.map(
    ({ label }, i) =>
      `<label><input type="radio" name="${name}" value="${escaped(label)}"${i === 0 ? ' checked' : ''}>${escaped(label)}</label>`,
  )
  const panels = tabs.map((tab) => preHtml({ kind: 'code', ...tab }))
  return `<div class="tabs"><div class="choices" role="radiogroup" aria-label="Language">${choices.join('')}</div>
${panels.join('\n')}</div>`
}

const fieldHtml = ({ name, type, isRequired, description, place }: Field, resolve: LinkResolver) =>
  `<div><dt><code>${escaped(name)}</code> <span class="type">${inlineHtml(type, resolve)}</span>` +
  (place === undefined ? '' : ` <span class="type">in ${escaped(place)}</span>`) +
  (isRequired ? ' <span class="required">required</span>' : '') +
  `</dt><dd>${inlineHtml(description, resolve)}</dd></div>`

const tableHtml = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  resolve: LinkResolver,
): string => {
  const cell = (content: string) => `<td>${inlineHtml(content, resolve)}</td>`
  const head = columns.map((column) => `<th scope="col">${inlineHtml(column, resolve)}</th>`)
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`)
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`
}

export const inlineHtml = (content: string, resolve: LinkResolver): string =>
  parseInline(content)
    .map((span) => {
      const html = escaped(span.text)
      if (span.kind === 'plain') return html
      if (span.kind === 'link') {
        return `<a href="${escaped(resolve(span.target))}">${inlineHtml(span.text, resolve)}</a>`
      }
      return span.kind === 'code' ? `<code>${html}</code>` : `<strong>${html}</strong>`
    })
    .join('')
