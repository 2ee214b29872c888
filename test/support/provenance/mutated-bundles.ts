/** Genuine bundles of a synthetic log, and attacks on their content, chain and inclusion. */
import assert from 'node:assert/strict'
import {
  SyntheticLog,
  anInvoiceHistory,
  deterministicBytes,
  documentIds,
  syntheticBundle,
  syntheticDocument,
  signingKeyOf,
  origin,
} from './synthetic-log.ts'
import { temporaryFile } from './verifiers.ts'

export const logKey = signingKeyOf('key', origin)
export const trustPath = temporaryFile(JSON.stringify({ origin, keys: [logKey.vkey] }))

export const attackedDocument = syntheticDocument()
export const otherDocument = syntheticDocument(anInvoiceHistory('9.99'), {
  id: documentIds[1]!,
  salts: 'other',
})
export const attackedLog = new SyntheticLog().add(
  ...otherDocument.events,
  ...attackedDocument.events,
)
attackedLog.leaves.push(deterministicBytes('the last stranger', 32))
export const genuineBundle = syntheticBundle(attackedDocument, attackedLog)
export const counterpartyBundle = syntheticBundle(attackedDocument, attackedLog, {
  role: 'counterparty',
})

// oxlint-disable-next-line typescript/no-explicit-any -- a mutation may change anything
export type MutableBundle = any

/** Changes a genuine bundle, and writes it in canonical form again. */
export const mutated = (change: (bundle: MutableBundle) => void, from = genuineBundle): string => {
  const bundle: MutableBundle = JSON.parse(from)
  change(bundle)
  return sortedJson(bundle)
}

export const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${sortedJson(inner)}`).join(',')}}`
}

/** The genuine bundle with changed lines in one of its notes. */
export const withMutatedNote = (
  field: 'checkpoint' | 'head',
  change: (lines: string[]) => void,
): string =>
  mutated((b) => {
    const lines = b[field].split('\n')
    change(lines)
    b[field] = lines.join('\n')
  })

export const replaceText = (from: string, to: string): string => {
  assert(genuineBundle.includes(from), from)
  return genuineBundle.replace(from, () => to)
}

const renumberEvents = (b: MutableBundle): void =>
  b.events.forEach((event: MutableBundle, i: number) => (event.header.seq = i + 1))

export interface Attack {
  title: string
  bundle: string | Buffer
  /** The check that fails in both verifiers. */
  failedCheck: string
  args?: readonly string[]
}

export const contentAttacks: Attack[] = [
  {
    title: 'amount edited',
    bundle: mutated((b) => (b.events[1].open.shared.body.set.total = '1.00')),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'status edited',
    bundle: mutated((b) => (b.events[3].open.shared.body.set.status = 'rejected')),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'salt edited',
    bundle: mutated((b) => (b.events[1].open.shared.salt = '0'.repeat(32))),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'key id edited',
    bundle: mutated(
      (b) => (b.events[3].open.counterparty.body.actor.key_id = 'key_0'),
      counterpartyBundle,
    ),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'openings of two events swapped',
    bundle: mutated((b) => {
      const [a, c] = [b.events[1].open, b.events[3].open]
      ;[b.events[1].open, b.events[3].open] = [c, a]
    }),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'slots swapped',
    bundle: mutated((b) => {
      const { shared, issuer } = b.events[1].open
      b.events[1].open = { shared: issuer, issuer: shared }
    }),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'opening replaced by null',
    bundle: mutated((b) => (b.events[1].open.shared.body = null)),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'NFD for NFC',
    bundle: mutated((b) => {
      b.events[1].open.shared.body.set.notes =
        b.events[1].open.shared.body.set.notes.normalize('NFD')
    }),
    failedCheck: 'COMMITMENT',
  },
  {
    title: 'guessed opening of the other side',
    bundle: mutated((b) => (b.events[2].open.counterparty = { salt: '0'.repeat(32), body: null })),
    failedCheck: 'ROLE',
  },
  {
    title: 'state edited',
    bundle: mutated((b) => (b.document.state.status = 'approved')),
    failedCheck: 'REPLAY',
  },
  {
    title: 'state extended',
    bundle: mutated((b) => (b.document.state.extra = 'x')),
    failedCheck: 'REPLAY',
  },
  {
    title: 'state without its metadata',
    bundle: mutated((b) => delete b.document.state.metadata),
    failedCheck: 'REPLAY',
  },
]

export const chainAttacks: Attack[] = [
  { title: 'first event deleted', bundle: mutated((b) => b.events.shift()), failedCheck: 'CHAIN' },
  {
    title: 'middle event deleted',
    bundle: mutated((b) => b.events.splice(1, 1)),
    failedCheck: 'CHAIN',
  },
  {
    title: 'sealed event deleted',
    bundle: mutated((b) => b.events.splice(2, 1)),
    failedCheck: 'CHAIN',
  },
  {
    title: 'event deleted, the rest renumbered',
    bundle: mutated((b) => {
      b.events.splice(2, 1)
      renumberEvents(b)
    }),
    failedCheck: 'CHAIN',
  },
  { title: 'events reordered', bundle: mutated((b) => b.events.reverse()), failedCheck: 'CHAIN' },
  {
    title: 'event duplicated',
    bundle: mutated((b) => b.events.splice(1, 0, b.events[1])),
    failedCheck: 'CHAIN',
  },
  {
    title: 'header time edited',
    bundle: mutated((b) => (b.events[4].header.at = '2026-11-21T01:00:09.000Z')),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'time runs backwards',
    bundle: mutated((b) => {
      b.events[4].header.at = '2026-11-21T00:00:00.000Z'
    }),
    failedCheck: 'ORDER',
  },
  {
    title: 'other document’s events',
    bundle: mutated(
      (b) => (b.events = JSON.parse(syntheticBundle(otherDocument, attackedLog)).events),
    ),
    failedCheck: 'STREAM',
  },
  {
    title: 'document relabelled',
    bundle: mutated((b) => (b.document.id = documentIds[1])),
    failedCheck: 'STREAM',
  },
]

/** The document with another amount, and with a valid new chain. */
export const rewrittenDocument = syntheticDocument(anInvoiceHistory('1.00'))
const replaceWithRewritten = (b: MutableBundle): void => {
  const { events, document } = JSON.parse(syntheticBundle(rewrittenDocument, rewrittenLog))
  events.forEach((event: MutableBundle, i: number) => (event.log = b.events[i].log))
  b.events = events
  b.document = document
}
export const rewrittenLog = new SyntheticLog().add(
  ...otherDocument.events,
  ...rewrittenDocument.events,
)

export const inclusionAttacks: Attack[] = [
  {
    title: 'chain recomputed after an edit',
    bundle: mutated(replaceWithRewritten),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'path node edited',
    bundle: mutated((b) => (b.events[0].log.path[0] = '0'.repeat(64))),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'path node removed',
    bundle: mutated((b) => b.events[0].log.path.pop()),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'path node added',
    bundle: mutated((b) => b.events[0].log.path.push('0'.repeat(64))),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'path empty',
    bundle: mutated((b) => (b.events[0].log.path = [])),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'path of 200,000 nodes',
    bundle: mutated((b) => (b.events[0].log.path = Array(200_000).fill('0'.repeat(64)))),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'index edited',
    bundle: mutated((b) => (b.events[0].log.index -= 1)),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'index out of range',
    bundle: mutated((b) => (b.events[4].log.index = 10_000)),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'log index runs backwards',
    bundle: mutated((b) => (b.events[1].log.index = b.events[0].log.index)),
    failedCheck: 'ORDER',
  },
  {
    title: 'older genuine checkpoint',
    bundle: mutated((b) => (b.checkpoint = attackedLog.checkpoint(12))),
    failedCheck: 'INCLUSION',
  },
  {
    title: 'newer genuine checkpoint on an old head',
    bundle: mutated((b) => {
      const newer = JSON.parse(
        syntheticBundle(attackedDocument, attackedLog, { treeSize: attackedLog.leaves.length }),
      )
      b.checkpoint = newer.checkpoint
      b.events = newer.events
    }),
    failedCheck: 'HEAD',
  },
  {
    title: 'last event cut off',
    bundle: mutated((b) => {
      b.events.pop()
      b.document.state.status = 'approved'
      b.document.state.balance_due = '108.02'
    }),
    failedCheck: 'HEAD',
  },
  {
    title: 'inner node offered as a leaf',
    bundle: mutated((b) => {
      b.events[0].log.path = b.events[0].log.path.slice(1)
      b.events[0].log.index = Math.floor(b.events[0].log.index / 2)
    }),
    failedCheck: 'INCLUSION',
  },
]
