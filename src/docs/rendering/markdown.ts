/** The docs as Markdown, for people's editors and for language models. */
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

/** A link to a section leads to the page, where every section has its id. */
const inline = (content: string, baseUrl: string): string =>
  parseInline(content)
    .map((piece) => {
      if (piece.kind === 'code') return `\`${piece.text}\``
      const shown = piece.text.replaceAll(/[\\<*]/g, '\\$&')
      if (piece.kind === 'link') return `[${shown}](${absolute(piece.target, baseUrl)})`
      return piece.kind === 'plain' ? shown : `**${shown}**`
    })
    .join('')

const absolute = (target: string, baseUrl: string): string =>
  target.startsWith('#') ? `${baseUrl}/v1/docs${target}` : target
