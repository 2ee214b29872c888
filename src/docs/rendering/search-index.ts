/** What the search of the docs looks in: every section with its texts and names. */
import { addressesOf } from '../addresses.ts'
import { type Block, type Docs, type Section, pagesOf, parseInline } from '../blocks.ts'
import { errors } from '../../contract/errors.ts'
import { errorCodes } from '../../contract/error-codes.ts'
import { searchWords } from './search-words.ts'

export interface SearchEntry {
  title: string
  /** The title of the page, empty for the page itself. */
  page: string
  address: string
  text: string
  /** The names of an operation, or the status of an error: they find it before anything else. */
  names?: readonly string[]
  /** What newcomers call it. */
  words?: readonly string[]
}

export const searchIndexOf = (docs: Docs): SearchEntry[] =>
  [...docs.front, ...pagesOf(docs)].flatMap((page) => entriesOf(docs, page, ''))

const entriesOf = (docs: Docs, section: Section, page: string): SearchEntry[] => {
  const { id, title, blocks, sections = [] } = section
  const names = namesOf(section)
  const words = searchWords[id]
  const inside = page === '' ? title : page
  return [
    {
      title: plain(title),
      page: plain(page),
      address: addressesOf(docs).get(id)!,
      text: blocks.map(blockText).filter(Boolean).join(' '),
      ...(names.length === 0 ? {} : { names }),
      ...(words === undefined ? {} : { words }),
    },
    ...sections.flatMap((one) => entriesOf(docs, one, inside)),
  ]
}

/** The id of an operation, its tool and its call; only the reference has examples beside it. */
const namesOf = ({ id, blocks, aside }: Section): readonly string[] => {
  const call = aside && blocks.find((block) => block.kind === 'call')
  if (call === undefined) return statusesOf.get(id) ?? []
  return [id, id.replaceAll('.', '_'), `${call.method} ${call.path}`]
}

/** The status of an error finds its code. */
const statusesOf = new Map(
  errorCodes.map((code) => [`errors-${code}`, [String(errors[code].status)]]),
)

/** Code is left out, apart from calls: nobody looks for an example by what is in it. */
const blockText = (block: Block): string => {
  switch (block.kind) {
    case 'text':
      return plain(block.text)
    case 'list':
      return block.items.map(plain).join(' ')
    case 'call':
      return `${block.method} ${block.path}`
    case 'fields':
      return block.rows.map(({ name, description }) => `${name} ${plain(description)}`).join(' ')
    case 'table':
      return block.rows.flatMap((row) => row.map(plain)).join(' ')
    default:
      return ''
  }
}

const plain = (content: string): string =>
  parseInline(content)
    .map((span) => (span.kind === 'link' ? plain(span.text) : span.text))
    .join('')
