/**
 * What statistics count of rows that were proven, remembered by blocks of an organization's
 * positions (docs/decisions/0168). A block is proven again when PostgreSQL stores another version
 * of one of its rows, and a row that is changed, by whomever, becomes another version. So no answer
 * depends on a row that was not proven; what is remembered spares the proof of rows that are the
 * same.
 */
import { limits } from '../contract/limits.ts'
import { type RowSeals, acceptedKeys } from '../database/row-seals.ts'
import { type SqlQuery, inlined, sql } from '../database/sql.ts'

/** How many bits of a position do not count: one change makes 128 positions be proven again. */
const blockBits = 7
/** The process does nothing else while it proves a page, which is some blocks. */
export const pageRows = 2 << blockBits
/** The process does nothing else while it shows this many facts. */
const shownAtOnce = 2_048

/** The rows of a block in one snapshot. */
export interface BlockState {
  block: bigint
  first: bigint
  last: bigint
  count: bigint
  /** Which versions of the rows they are. */
  versions: string
}

/**
 * SQL of the blocks of these rows, newest first. A later version of a row was written by another
 * transaction, xmin; the time of the change tells the transactions of a restored database apart.
 */
export const blockStates = (rows: SqlQuery): SqlQuery => sql`
  select position >> ${inlined(blockBits)} as block, min(position) as first,
    max(position) as last, count(*) as count,
    sum(hash_record_extended(row(xmin, updated_at), 0))::text as versions
  from (${rows}) v group by 1 order by 1 desc`

/** A proven block: what counts of its rows, newest first. */
export interface Block<F> extends BlockState {
  facts: F[]
}

export interface Page {
  first: bigint
  last: bigint
  count: number
}

export interface ProvenScan<R extends { position: bigint }, B extends Block<unknown>> {
  /** What is scanned, and for whom. */
  name: string
  states: readonly BlockState[]
  /** The remembered blocks of the same state that are the same in everything else, too. */
  unchanged(blocks: readonly B[]): Promise<readonly B[]>
  open(state: BlockState): B
  /** Fewer rows than the page has if they are long. */
  read(page: Page): Promise<R[]>
  /** Adds a row to its block, or throws BrokenSeal. */
  prove(row: R, block: B): void
  /** A row of a state was not read, or another one was read twice. */
  missing(): Error
}

/** The blocks in the order of the states, all of them proven, now or before. */
export const provenBlocks = async <R extends { position: bigint }, B extends Block<unknown>>(
  seals: RowSeals,
  scan: ProvenScan<R, B>,
): Promise<B[]> => {
  const { name, states } = scan
  const remembered = rememberedBlocks<B>(seals, name, states)
  const blocks = new Map<bigint, B>()
  const unchanged = remembered.length === 0 ? [] : await scan.unchanged(remembered)
  for (const block of unchanged) blocks.set(block.block, block)
  const pages = pagesOf(states, blocks)
  for (const state of states)
    if (!blocks.has(state.block)) blocks.set(state.block, scan.open(state))
  let before: bigint | undefined
  await provePages(pages, scan, (row) => {
    // Positions descend: of a row that is there twice, both hold their seals.
    if (before !== undefined && row.position >= before) throw scan.missing()
    before = row.position
    scan.prove(row, blocks.get(row.position >> BigInt(blockBits))!)
  })
  const proven = states.map(({ block }) => blocks.get(block)!)
  const isComplete = proven.every(({ facts, count }) => BigInt(facts.length) === count)
  if (!isComplete) throw scan.missing()
  remember(seals, name, proven)
  return proven
}

interface Remembered {
  /** Proof under a key ends with the key. */
  keys: string
  rows: number
  blocks: ReadonlyMap<bigint, BlockState>
}

const memories = new WeakMap<RowSeals, Map<string, Remembered>>()

const rememberedBlocks = <B extends BlockState>(
  seals: RowSeals,
  name: string,
  states: readonly BlockState[],
): B[] => {
  const remembered = memories.get(seals)?.get(name)
  if (remembered?.keys !== acceptedKeys(seals)) return []
  return states.flatMap(({ block, count, versions }) => {
    const known = remembered.blocks.get(block)
    return known?.count === count && known.versions === versions ? [known as B] : []
  })
}

/** In place of what has this name. What was asked for longest ago is forgotten. */
const remember = (seals: RowSeals, name: string, proven: readonly BlockState[]): void => {
  const memory = memories.get(seals) ?? new Map<string, Remembered>()
  memories.set(seals, memory)
  const blocks = new Map(proven.map((block) => [block.block, block]))
  const rows = proven.reduce((sum, { count }) => sum + Number(count), 0)
  memory.delete(name)
  memory.set(name, { keys: acceptedKeys(seals), rows, blocks })
  let all = 0
  for (const one of memory.values()) all += one.rows
  for (const [oldest, one] of memory) {
    if (all <= limits.provenRowsRememberedMax) return
    memory.delete(oldest)
    all -= one.rows
  }
}

/** Pages of adjacent blocks, of those that are not proven. */
const pagesOf = (states: readonly BlockState[], proven: ReadonlyMap<bigint, unknown>): Page[] => {
  const pages: Page[] = []
  let page: Page | undefined
  for (const { block, first, last, count } of states) {
    if (proven.has(block)) page = undefined
    else if (page !== undefined && page.count + Number(count) <= pageRows) {
      page.first = first
      page.count += Number(count)
    } else pages.push((page = { first, last, count: Number(count) }))
  }
  return pages
}

/** PostgreSQL reads the next page while the process proves this one. */
const provePages = async <R extends { position: bigint }>(
  pages: Page[],
  { read }: { read(page: Page): Promise<R[]> },
  prove: (row: R) => void,
): Promise<void> => {
  const readNext = () => {
    const page = pages.shift()
    if (page === undefined) return undefined
    const rows = read(page)
    // Nobody awaits it if this page turns out to be false.
    rows.catch(() => {})
    return { page, rows }
  }
  for (let next = readNext(); next !== undefined;) {
    const { page } = next
    const rows = await next.rows
    const isCut = rows.length > 0 && rows.length < page.count
    if (isCut)
      pages.unshift({ ...page, last: rows.at(-1)!.position - 1n, count: page.count - rows.length })
    next = readNext()
    for (const row of rows) prove(row)
  }
}

/** In their order. */
export const showFacts = async <F>(
  blocks: readonly { facts: readonly F[] }[],
  show: (fact: F) => void,
): Promise<void> => {
  let shown = 0
  for (const { facts } of blocks) {
    for (const fact of facts) show(fact)
    shown += facts.length
    if (shown < shownAtOnce) continue
    shown = 0
    await new Promise(setImmediate)
  }
}
