/**
 * Every posting of an account names the one before it, and the account the last one, so a part of
 * the chain between two places is whole or broken (docs/decisions/0052, 0179).
 */
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, missingRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { type Block, type BlockState, blockStates, provenBlocks } from '../proven-blocks.ts'
import type { LedgerAccountRow } from './ledger.ts'

type Posting = Rows['ledger_tx']

/** A part of the chain of an account, between two of its postings. */
export interface PostingStretch {
  account: LedgerAccountRow
  /** The posting after it; undefined if the account itself names its last one. */
  above: Posting | undefined
  /** The posting before it; undefined if there is none since the last reset. */
  below: Posting | undefined
  /** The postings that are known already. */
  postings: readonly Posting[]
}

/**
 * Whether a posting, or an account, that names this one as the posting before it names that of the
 * version. What was posted before the last reset is no longer part of the chain.
 */
export const isPlaceAfter = (version: bigint, posting: bigint, resetVersion: bigint): boolean =>
  posting === version || (version === resetVersion && posting < resetVersion)

type Place = Pick<Posting, 'posted_version' | 'previous_posting'>

/**
 * Throws BrokenSeal where a posting of the stretch is missing. `isFiltered`: some of its postings
 * may not be known. Those are proven here, as one that was changed may look as if the filter left
 * it out; the process remembers which versions of rows it has proven.
 */
export const checkPostings = async (
  db: Queryable,
  stretch: PostingStretch,
  isFiltered: boolean,
): Promise<void> => {
  const { account, above, below } = stretch
  const known = new Map(stretch.postings.map((one) => [one.posted_version!, one.previous_posting!]))
  /** The posting that must come next; those that are known have been passed. */
  let next = above === undefined ? account.last_posting : above.previous_posting!
  const passKnown = () => {
    for (let previous; (previous = known.get(next)) !== undefined; next = previous);
  }
  const end = below?.posted_version ?? account.reset_version
  const isEnd = (): boolean => isPlaceAfter(end, next, account.reset_version)
  passKnown()
  const others = isFiltered && !isEnd() ? await provenPostings(db, stretch, next) : []
  for (const { posted_version, previous_posting } of others) {
    if (known.has(posted_version!)) continue
    if (posted_version !== next) break
    next = previous_posting!
    passKnown()
  }
  if (!isEnd()) throw missingPosting(account, next)
}

export const missingPosting = ({ id }: { id: string }, version: bigint): BrokenSeal =>
  missingRow('ledger_tx', `posting ${version} of ${id}`)

/** The postings `t` of the stretch from this version down, newest first. */
const postingsUpTo = ({ account, below }: PostingStretch, version: bigint): SqlQuery => sql`
  from ledger_tx t where t.account_id = ${account.id} and t.posted_version <= ${version}
    and t.posted_version > ${below?.posted_version ?? account.reset_version}`

type PackedPosting = { position: bigint; posting: string }

const provenPostings = async (
  db: Queryable,
  stretch: PostingStretch,
  version: bigint,
): Promise<Place[]> => {
  const { account } = stretch
  const states = await db.rows<BlockState>(
    blockStates(sql`
      select t.posted_version as position, t.xmin, t.resolved_at as updated_at
      ${postingsUpTo(stretch, version)}`),
  )
  const blocks = await provenBlocks<PackedPosting, Block<Place>>(db.seals, {
    name: `postings of ${account.id}`,
    states,
    unchanged: async (blocks) => blocks,
    open: (state) => ({ ...state, facts: [] }),
    read: ({ first, last }) =>
      db.rows(sql`
        select t.posted_version as position, ${packedRow('ledger_tx', 't')} as posting
        ${postingsUpTo(stretch, last)} and t.posted_version >= ${first}
        order by t.posted_version desc`),
    prove: ({ posting }, { facts }) => {
      const proven = unpackRow(db.seals, 'ledger_tx', posting)
      facts.push({
        posted_version: proven.posted_version,
        previous_posting: proven.previous_posting,
      })
    },
    missing: () => missingPosting(account, version),
  })
  return blocks.flatMap(({ facts }) => facts)
}

/**
 * Throws BrokenSeal where a transaction of the payment is missing: it names those that moved it,
 * and when it was returned, there are two that reverse these.
 */
export const checkTransactionsOf = (
  { id, status, out_tx, in_tx }: Rows['payments'],
  transactions: readonly Posting[],
): void => {
  for (const moved of [out_tx, in_tx]) {
    if (moved === null) continue
    const isThere = transactions.some((one) => one.id === moved)
    const isReversed = transactions.some(({ reverses }) => reverses === moved)
    if (isThere && (status !== 'returned' || isReversed)) continue
    throw new BrokenSeal('ledger_tx', moved, `not those of payment ${id}`)
  }
}
