/** Renders the docs, and each page of them, as Markdown, for editors and language models. */
import { addressesOf } from '../addresses.ts'
import { type Block, type Docs, type Section, codeSpan, pagesOf, parseInline } from '../blocks.ts'

/** All of it begins with the front page, which sets the variables of the examples. */
export const renderMarkdown = (
  docs: Docs,
  pages: readonly Section[] = [...docs.front, ...pagesOf(docs)],
): string => {
  const lines = [
    `# ${docs.title}`,
    `Version ${docs.version}, served at ${docs.baseUrl}.`,
    inline(docs.summary, docs),
    ...pages.flatMap((page) => sectionLines(page, 2, docs)),
  ]
  return `${lines.join('\n\n')}\n`
}

export const renderPageMarkdown = (docs: Docs, page: Section): string =>
  `${sectionLines(page, 1, docs).join('\n\n')}\n`

const sectionLines = (section: Section, level: number, docs: Docs): string[] => [
  `${'#'.repeat(Math.min(level, 6))} ${inline(section.title, docs)}`,
  ...[...section.blocks, ...(section.aside ?? [])]
    .map((block) => blockText(block, docs))
    .filter((text) => text !== ''),
  ...(section.sections ?? []).flatMap((one) => sectionLines(one, level + 1, docs)),
]

const blockText = (block: Block, docs: Docs): string => {
  switch (block.kind) {
    case 'text':
      return inline(block.text, docs)
    case 'list':
      return block.items
        .map((item, i) => `${block.isOrdered ? `${i + 1}.` : '-'} ${inline(item, docs)}`)
        .join('\n')
    case 'code':
      return fenced(block.language, block.text)
    case 'tabs':
      return block.tabs
        .map(({ label, language, text }) => `${label}:\n\n${fenced(language, text)}`)
        .join('\n\n')
    case 'cards':
      return block.cards
        .map(({ title, target, text }) => `- ${inline(`[${title}](${target}): ${text}`, docs)}`)
        .join('\n')
    case 'call':
      return `\`${block.method} ${block.path}\``
    case 'try':
      return ''
    case 'fields':
      return fieldsText(block, docs)
    default:
      return tableText(block.columns, block.rows, docs)
  }
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const fieldsText = ({ rows }: Extract<Block, { kind: 'fields' }>, docs: Docs): string => {
  const havePlaces = rows.some(({ place }) => place !== undefined)
  return tableText(
    [
      havePlaces ? 'Name' : 'Field',
      ...(havePlaces ? ['In'] : []),
      'Type',
      'Required',
      'Description',
    ],
    rows.map(({ name, place, type, isRequired, description }) => [
      codeSpan(name),
      ...(havePlaces ? [place ?? ''] : []),
      type,
      isRequired ? 'yes' : 'no',
      description,
    ]),
    docs,
  )
}

const tableText = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  docs: Docs,
): string => {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => inline(cell, docs).replaceAll('|', '\\|')).join(' | ')} |`
  return [row(columns), `|${columns.map(() => ' --- |').join('')}`, ...rows.map(row)].join('\n')
}

/** Links to sections lead to the HTML pages, where every section has its id. */
const inline = (content: string, docs: Docs): string =>
  parseInline(content)
    .map((span) => {
      if (span.kind === 'code') return `\`${span.text}\``
      const markdown = span.text.replaceAll(/[\\<*]/g, '\\$&')
      if (span.kind === 'link') return `[${markdown}](${absolute(span.target, docs)})`
      return span.kind === 'plain' ? markdown : `**${markdown}**`
    })
    .join('')

const absolute = (target: string, docs: Docs): string =>
  target.startsWith('#')
    ? `${docs.baseUrl}${addressesOf(docs).get(target.slice(1)) ?? `/v1/docs${target}`}`
    : target
