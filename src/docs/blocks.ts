/**
 * The docs as data: sections of blocks, rendered to HTML and to Markdown. Text may contain `code`,
 * **strong** and [links](#section-id); everything else in it is literal.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly string[]; isOrdered: boolean }
  | { kind: 'code'; language: Language; text: string }
  | { kind: 'table'; columns: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'call'; method: string; path: string }

type Language = 'sh' | 'json' | 'http' | 'text' | 'js' | 'python' | 'java' | 'php'

export interface Section {
  /** The element id on the page, which links and `docs_url` rely on. */
  id: string
  title: string
  blocks: readonly Block[]
  sections?: readonly Section[]
}

export interface Docs {
  title: string
  summary: string
  baseUrl: string
  version: string
  sections: readonly Section[]
}

export const text = (content: string): Block => ({ kind: 'text', text: content })

export const list = (...items: string[]): Block => ({ kind: 'list', items, isOrdered: false })

export const steps = (...items: string[]): Block => ({ kind: 'list', items, isOrdered: true })

export const code = (language: Language, content: string): Block => ({
  kind: 'code',
  language,
  text: content,
})

export const json = (value: unknown): Block => code('json', JSON.stringify(value, null, 2))

export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  columns,
  rows,
})

export const codeSpan = (name: string | number): string => `\`${name}\``

export type InlineSpan =
  | { kind: 'plain' | 'code' | 'strong'; text: string }
  | { kind: 'link'; text: string; target: string }

const markup = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g

export const parseInline = (content: string): InlineSpan[] => {
  const spans: InlineSpan[] = []
  let end = 0
  for (const match of content.matchAll(markup)) {
    const [whole, codeText, strongText, linkText, target] = match
    if (match.index > end) spans.push({ kind: 'plain', text: content.slice(end, match.index) })
    if (codeText !== undefined) spans.push({ kind: 'code', text: codeText })
    else if (strongText !== undefined) spans.push({ kind: 'strong', text: strongText })
    else spans.push({ kind: 'link', text: linkText ?? '', target: target ?? '' })
    end = match.index + whole.length
  }
  if (end < content.length) spans.push({ kind: 'plain', text: content.slice(end) })
  return spans
}

/** The sections with all of their subsections, in the order of the page. */
export const flattenSections = (sections: readonly Section[]): Section[] =>
  sections.flatMap((section) => [section, ...flattenSections(section.sections ?? [])])
