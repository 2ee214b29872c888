/**
 * The docs as data: sections of blocks, rendered to HTML and to Markdown alike. Text may hold
 * `code`, **strong** and [links](#section-id); anything else in it is shown as it is.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly string[]; isOrdered: boolean }
  | { kind: 'code'; language: Language; text: string }
  | { kind: 'table'; columns: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'call'; method: string; path: string }

type Language = 'sh' | 'json' | 'http' | 'text' | 'js' | 'python' | 'java' | 'php'

export interface Section {
  /** The element id on the page: links and `docs_url` rely on it. */
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

/** A name as code: `quantity`. */
export const codeSpan = (name: string | number): string => `\`${name}\``

export type InlineSpan =
  | { kind: 'plain' | 'code' | 'strong'; text: string }
  | { kind: 'link'; text: string; target: string }

const markup = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g

/** Text → its pieces, in order. */
export const parseInline = (content: string): InlineSpan[] => {
  const found: InlineSpan[] = []
  let end = 0
  for (const match of content.matchAll(markup)) {
    const [whole, inCode, inStrong, inLink, target] = match
    if (match.index > end) found.push({ kind: 'plain', text: content.slice(end, match.index) })
    if (inCode !== undefined) found.push({ kind: 'code', text: inCode })
    else if (inStrong !== undefined) found.push({ kind: 'strong', text: inStrong })
    else found.push({ kind: 'link', text: inLink ?? '', target: target ?? '' })
    end = match.index + whole.length
  }
  if (end < content.length) found.push({ kind: 'plain', text: content.slice(end) })
  return found
}

/** A section and all below it. */
export const flattenSections = (sections: readonly Section[]): Section[] =>
  sections.flatMap((section) => [section, ...flattenSections(section.sections ?? [])])
