/** Genuine bundles of a forged log, and ways to bend them: attacks on content, chain and log. */
import {
  ForgedLog,
  anInvoiceStory,
  bytesOf,
  documentIds,
  forgedBundle,
  forgedDocument,
  keyOf,
  origin,
} from './forged-log.ts'
import { fileOf } from './verifiers.ts'

export const key = keyOf('key', origin)
export const trust = fileOf(JSON.stringify({ origin, keys: [key.vkey] }))

export const document = forgedDocument()
export const other = forgedDocument(anInvoiceStory('9.99'), { id: documentIds[1]!, salts: 'other' })
export const log = new ForgedLog().add(...other.events, ...document.events)
log.leaves.push(bytesOf('the last stranger', 32))
export const genuine = forgedBundle(document, log)
export const genuineOfCounterparty = forgedBundle(document, log, { role: 'counterparty' })

// oxlint-disable-next-line typescript/no-explicit-any -- a bundle to be bent in every way
export type Bent = any

/** The genuine bundle after a change, in canonical form again. */
export const bent = (change: (bundle: Bent) => void, from = genuine): string => {
  const bundle: Bent = JSON.parse(from)
  change(bundle)
  return sorted(bundle)
}

export const sorted = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${sorted(inner)}`).join(',')}}`
}

/** The text of a note after a change of one of its lines. */
export const noteWith = (field: 'checkpoint' | 'head', change: (lines: string[]) => void): string =>
  bent((b) => {
    const lines = b[field].split('\n')
    change(lines)
    b[field] = lines.join('\n')
  })

export const renumbered = (b: Bent): void =>
  b.events.forEach((event: Bent, i: number) => (event.header.seq = i + 1))

export interface Attack {
  what: string
  bundle: string | Buffer
  /** The check that catches it, in both. */
  by: string
  args?: readonly string[]
}

export const edits: Attack[] = [
  {
    what: 'amount edited',
    bundle: bent((b) => (b.events[1].open.shared.body.set.total = '1.00')),
    by: 'COMMITMENT',
  },
  {
    what: 'status edited',
    bundle: bent((b) => (b.events[3].open.shared.body.set.status = 'rejected')),
    by: 'COMMITMENT',
  },
  {
    what: 'salt edited',
    bundle: bent((b) => (b.events[1].open.shared.salt = '0'.repeat(32))),
    by: 'COMMITMENT',
  },
  {
    what: 'key id edited',
    bundle: bent(
      (b) => (b.events[3].open.counterparty.body.actor.key_id = 'key_0'),
      genuineOfCounterparty,
    ),
    by: 'COMMITMENT',
  },
  {
    what: 'openings of two events swapped',
    bundle: bent((b) => {
      const [a, c] = [b.events[1].open, b.events[3].open]
      ;[b.events[1].open, b.events[3].open] = [c, a]
    }),
    by: 'COMMITMENT',
  },
  {
    what: 'slots swapped',
    bundle: bent((b) => {
      const { shared, issuer } = b.events[1].open
      b.events[1].open = { shared: issuer, issuer: shared }
    }),
    by: 'COMMITMENT',
  },
  {
    what: 'opening replaced by null',
    bundle: bent((b) => (b.events[1].open.shared.body = null)),
    by: 'COMMITMENT',
  },
  {
    what: 'NFD for NFC',
    bundle: bent((b) => {
      b.events[1].open.shared.body.set.notes =
        b.events[1].open.shared.body.set.notes.normalize('NFD')
    }),
    by: 'COMMITMENT',
  },
  {
    what: 'guessed opening of the other side',
    bundle: bent((b) => (b.events[2].open.counterparty = { salt: '0'.repeat(32), body: null })),
    by: 'ROLE',
  },
  {
    what: 'state edited',
    bundle: bent((b) => (b.document.state.status = 'approved')),
    by: 'REPLAY',
  },
  {
    what: 'state extended',
    bundle: bent((b) => (b.document.state.extra = 'x')),
    by: 'REPLAY',
  },
  {
    what: 'state without its metadata',
    bundle: bent((b) => delete b.document.state.metadata),
    by: 'REPLAY',
  },
]

export const chain: Attack[] = [
  { what: 'first event deleted', bundle: bent((b) => b.events.shift()), by: 'CHAIN' },
  { what: 'middle event deleted', bundle: bent((b) => b.events.splice(1, 1)), by: 'CHAIN' },
  { what: 'sealed event deleted', bundle: bent((b) => b.events.splice(2, 1)), by: 'CHAIN' },
  {
    what: 'event deleted, the rest renumbered',
    bundle: bent((b) => {
      b.events.splice(2, 1)
      renumbered(b)
    }),
    by: 'CHAIN',
  },
  { what: 'events reordered', bundle: bent((b) => b.events.reverse()), by: 'CHAIN' },
  {
    what: 'event duplicated',
    bundle: bent((b) => b.events.splice(1, 0, b.events[1])),
    by: 'CHAIN',
  },
  {
    what: 'header time edited',
    bundle: bent((b) => (b.events[4].header.at = '2026-11-21T01:00:09.000Z')),
    by: 'INCLUSION',
  },
  {
    what: 'time runs backwards',
    bundle: bent((b) => {
      b.events[4].header.at = '2026-11-21T00:00:00.000Z'
    }),
    by: 'ORDER',
  },
  {
    what: 'other document’s events',
    bundle: bent((b) => (b.events = JSON.parse(forgedBundle(other, log)).events)),
    by: 'STREAM',
  },
  {
    what: 'document relabelled',
    bundle: bent((b) => (b.document.id = documentIds[1])),
    by: 'STREAM',
  },
]

/** The story of the document with one thing changed, chained and committed to anew. */
export const rewritten = forgedDocument(anInvoiceStory('1.00'))
export const rewrittenBundle = (b: Bent): void => {
  const { events, document: said } = JSON.parse(forgedBundle(rewritten, rewrittenLog))
  events.forEach((event: Bent, i: number) => (event.log = b.events[i].log))
  b.events = events
  b.document = said
}
export const rewrittenLog = new ForgedLog().add(...other.events, ...rewritten.events)

export const inclusion: Attack[] = [
  { what: 'chain recomputed after an edit', bundle: bent(rewrittenBundle), by: 'INCLUSION' },
  {
    what: 'path node edited',
    bundle: bent((b) => (b.events[0].log.path[0] = '0'.repeat(64))),
    by: 'INCLUSION',
  },
  { what: 'path node removed', bundle: bent((b) => b.events[0].log.path.pop()), by: 'INCLUSION' },
  {
    what: 'path node added',
    bundle: bent((b) => b.events[0].log.path.push('0'.repeat(64))),
    by: 'INCLUSION',
  },
  { what: 'path empty', bundle: bent((b) => (b.events[0].log.path = [])), by: 'INCLUSION' },
  {
    what: 'path of 200,000 nodes',
    bundle: bent((b) => (b.events[0].log.path = Array(200_000).fill('0'.repeat(64)))),
    by: 'INCLUSION',
  },
  { what: 'index edited', bundle: bent((b) => (b.events[0].log.index -= 1)), by: 'INCLUSION' },
  {
    what: 'index out of range',
    bundle: bent((b) => (b.events[4].log.index = 10_000)),
    by: 'INCLUSION',
  },
  {
    what: 'log index runs backwards',
    bundle: bent((b) => (b.events[1].log.index = b.events[0].log.index)),
    by: 'ORDER',
  },
  {
    what: 'older genuine checkpoint',
    bundle: bent((b) => (b.checkpoint = log.checkpoint(12))),
    by: 'INCLUSION',
  },
  {
    what: 'newer genuine checkpoint on an old head',
    bundle: bent((b) => {
      const newer = JSON.parse(forgedBundle(document, log, { size: log.leaves.length }))
      b.checkpoint = newer.checkpoint
      b.events = newer.events
    }),
    by: 'HEAD',
  },
  {
    what: 'last event cut off',
    bundle: bent((b) => {
      b.events.pop()
      b.document.state.status = 'approved'
      b.document.state.balance_due = '108.02'
    }),
    by: 'HEAD',
  },
  {
    what: 'inner node offered as a leaf',
    bundle: bent((b) => {
      b.events[0].log.path = b.events[0].log.path.slice(1)
      b.events[0].log.index = Math.floor(b.events[0].log.index / 2)
    }),
    by: 'INCLUSION',
  },
]
