/**
 * The docs as data: sections of blocks, rendered to HTML and to Markdown. Text may contain `code`,
 * **strong** and [links](#section-id); everything else in it is literal.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly string[]; isOrdered: boolean }
  | { kind: 'code'; language: Language; text: string }
  | { kind: 'table'; columns: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'fields'; rows: readonly Field[] }
  | { kind: 'tabs'; tabs: readonly Tab[] }
  | { kind: 'cards'; cards: readonly Card[] }
  | { kind: 'call'; method: string; path: string }
  | { kind: 'try'; call: TriedCall }

export type Language = 'sh' | 'json' | 'http' | 'text' | 'js' | 'ts' | 'python' | 'java' | 'php'

/** A field of an object, or a parameter. */
export interface Field {
  name: string
  type: string
  isRequired: boolean
  description: string
  /** Where a parameter is sent: path, query or header. */
  place?: string
}

/** One of several forms of the same example. */
export interface Tab {
  label: string
  language: Language
  text: string
}

/** A call that a reader can make from the page. */
export interface TriedCall {
  id: string
  method: string
  path: string
  /** The values of the example, which the reader may change. */
  values: Readonly<Record<string, string>>
  /** Undefined: it takes none. */
  query?: string
  body?: object
  takesFile?: true
  /** Undefined: it needs none. */
  credential?: 'key' | 'session'
}

/** A link with a sentence about its target. */
export interface Card {
  title: string
  target: string
  text: string
}

export interface Section {
  /** The element id on the page, which links and `docs_url` rely on. */
  id: string
  title: string
  blocks: readonly Block[]
  /** Examples, which a wide screen shows beside the blocks. */
  aside?: readonly Block[]
  sections?: readonly Section[]
}

/** Pages that belong together in the navigation. The address of a page ends with its id. */
export interface PageGroup {
  title: string
  pages: readonly Section[]
}

export interface Docs {
  title: string
  summary: string
  baseUrl: string
  version: string
  /** The sections of /v1/docs itself. */
  front: readonly Section[]
  /** Those that keep addresses of /v1/docs for what is on a page, under the same ids. */
  anchors: readonly Section[]
  groups: readonly PageGroup[]
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

export const pagesOf = ({ groups }: Docs): Section[] => groups.flatMap(({ pages }) => pages)

/** The sections with all of their subsections, in the order of the page. */
export const flattenSections = (sections: readonly Section[]): Section[] =>
  sections.flatMap((section) => [section, ...flattenSections(section.sections ?? [])])
