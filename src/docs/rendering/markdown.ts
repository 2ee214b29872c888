/** Renders the docs as Markdown, for editors and language models. */
import { type Block, type Docs, type Section, parseInline } from '../blocks.ts'

export const renderMarkdown = (docs: Docs): string => {
  const lines = [
    `# ${docs.title}`,
    `Version ${docs.version}, served at ${docs.baseUrl}.`,
    inline(docs.summary, docs.baseUrl),
    ...docs.sections.flatMap((section) => sectionLines(section, 2, docs.baseUrl)),
  ]
  return `${lines.join('\n\n')}\n`
}

const sectionLines = (section: Section, level: number, baseUrl: string): string[] => [
  `${'#'.repeat(Math.min(level, 6))} ${inline(section.title, baseUrl)}`,
  ...section.blocks.map((block) => blockText(block, baseUrl)),
  ...(section.sections ?? []).flatMap((one) => sectionLines(one, level + 1, baseUrl)),
]

const blockText = (block: Block, baseUrl: string): string => {
  switch (block.kind) {
    case 'text':
      return inline(block.text, baseUrl)
    case 'list':
      return block.items
        .map((item, i) => `${block.isOrdered ? `${i + 1}.` : '-'} ${inline(item, baseUrl)}`)
        .join('\n')
    case 'code':
      return `\`\`\`${block.language}\n${block.text}\n\`\`\``
    case 'call':
      return `\`${block.method} ${block.path}\``
    default: {
      const { columns, rows } = block
      const row = (cells: readonly string[]) =>
        `| ${cells.map((cell) => inline(cell, baseUrl).replaceAll('|', '\\|')).join(' | ')} |`
      return [row(columns), `|${columns.map(() => ' --- |').join('')}`, ...rows.map(row)].join('\n')
    }
  }
}

/** Links to sections lead to the HTML page, where every section has its id. */
const inline = (content: string, baseUrl: string): string =>
  parseInline(content)
    .map((span) => {
      if (span.kind === 'code') return `\`${span.text}\``
      const markdown = span.text.replaceAll(/[\\<*]/g, '\\$&')
      if (span.kind === 'link') return `[${markdown}](${absolute(span.target, baseUrl)})`
      return span.kind === 'plain' ? markdown : `**${markdown}**`
    })
    .join('')

const absolute = (target: string, baseUrl: string): string =>
  target.startsWith('#') ? `${baseUrl}/v1/docs${target}` : target
