/**
 * Lineage: links between documents, as recorded in their events (provenance 3). A link is recorded
 * in both histories, each pinned to the exact version of the other document.
 */
import type { LineageLink, LineageStep } from '../../contract/shapes/provenance.ts'
import type { Role, Slot } from '../../../verifier/verify-bundle.mjs'
import { linkRelation, relations } from '../../contract/conversions.ts'
import type { Rows } from '../../database/rows.ts'
import { encodeId } from '../ids.ts'
import type { DocumentRecord } from '../documents/document-record.ts'
import { parseContent } from '../documents/content.ts'
import { streamOf } from './history-event.ts'
import { type VerifiedEvent, type VerifiedHistory, failCheck } from './history-verification.ts'
import { type StoredDocument } from './record-verification.ts'
import { isSealedFor } from './history-entries.ts'
import { ownState } from './shared-state.ts'
import { otherSideOf } from '../../contract/document-types.ts'

/**
 * A link as an event records it; `direction` and `peer` describe the document at its other end. A
 * document that begins together with the other names its stream alone, and the other pins it.
 */
interface RecordedLink {
  relation: string
  direction: 'from' | 'to'
  peer: { stream: string } | HistoryVersion
}

/** A document as one of its events left it. */
export interface HistoryVersion {
  stream: string
  seq: number
  hash: string
}

export const versionOf = (
  document: Pick<Rows['documents'], 'id' | 'stream_salt' | 'head_seq' | 'head_hash'>,
): HistoryVersion => ({
  stream: streamOf(document.stream_salt, encodeId('doc', document.id)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

export interface EventLink extends RecordedLink {
  /** The event that records it. */
  seq: number
  at: string
  slot: Slot
}

/** All links that the events record, in any slot. */
const linksIn = (events: readonly VerifiedEvent[]): EventLink[] =>
  events.flatMap(({ header, open }) =>
    Object.entries(open).flatMap(([slot, { body }]) => {
      const recorded = [body?.['link'] ?? [], body?.['links'] ?? []].flat() as RecordedLink[]
      const links = [...recorded, ...linksOfAgreement(body?.['finance'])]
      const location = { seq: header.seq, at: header.at, slot: slot as Slot }
      return links.map((link) => ({ ...link, ...location }))
    }),
  )

/** The relations of a loan's agreement to its other documents and to the pledged invoice. */
export const loanRelations = ['disbursed_by', 'repaid_by', 'secured_by'] as const
export type LoanRelation = (typeof loanRelations)[number]

/** The links that an agreement records with what it authorizes. */
const linksOfAgreement = (finance: unknown): RecordedLink[] => {
  const pins = (finance ?? {}) as Partial<Record<LoanRelation, HistoryVersion>>
  return loanRelations.flatMap((relation) => {
    const peer = pins[relation]
    return peer === undefined ? [] : [{ relation, direction: 'to', peer }]
  })
}

/** A document with its verified history, and the viewer's side, if any. */
export interface LineageNode {
  id: string
  document: DocumentRecord
  history: VerifiedHistory
  side: Role | undefined
  links: RecordedLinks
}

/** The links of one history. Many documents may ask one that has many for theirs. */
export interface RecordedLinks {
  all: readonly EventLink[]
  /** The first one of this relation with the document of this stream. */
  find(link: Pick<EventLink, 'relation' | 'direction'>, stream: string): EventLink | undefined
}

export const recordedLinks = ({ events }: Pick<VerifiedHistory, 'events'>): RecordedLinks => {
  const all = linksIn(events)
  const nameOf = ({ relation, direction }: Pick<EventLink, 'relation' | 'direction'>, to: string) =>
    `${relation} ${direction} ${to}`
  const byName = new Map(all.toReversed().map((link) => [nameOf(link, link.peer.stream), link]))
  return { all, find: (link, stream) => byName.get(nameOf(link, stream)) }
}

/** A row of the link index, joined with the document at its other end. */
export interface LinkRow {
  from_id: string
  to_id: string
  rel: string
  peer_type: string
  peer_salt: Buffer
  peer_issued: boolean
  peer_events: number
}

/** The name in histories of an indexed relation; relations outside the contract keep their name. */
const relationOf = (rel: string, to: string): string => {
  const relation = relations.find((name) => name === rel)
  return relation === undefined ? rel : linkRelation(relation, to)
}

/** Checks that the link index, in both directions, has exactly the links of content and events. */
export const checkLinks = (
  document: Pick<StoredDocument, 'id' | 'type' | 'content' | 'issued_at'>,
  rows: readonly LinkRow[],
  { events }: VerifiedHistory,
): void => {
  const { id, type, content, issued_at } = document
  const outward = rows.filter(({ from_id }) => from_id === id)
  const inward = rows.filter(({ from_id, peer_issued }) => from_id !== id && peer_issued)
  const references = outward.filter(({ rel }) => relations.some((name) => name === rel))
  const links = linksIn(events)
  const linksOf = (direction: EventLink['direction']) =>
    links
      .filter((link) => link.direction === direction)
      .map(({ relation, peer }) => `${relation} ${peer.stream}`)
  const indexedLinks = (indexRows: readonly LinkRow[], to: (row: LinkRow) => string) =>
    indexRows.map((row) => {
      const peer = encodeId('doc', row.from_id === id ? row.to_id : row.from_id)
      return `${relationOf(row.rel, to(row))} ${streamOf(row.peer_salt, peer)}`
    })
  const isConsistent =
    hasSameItems(
      references.map(({ rel, to_id }) => `${rel} ${encodeId('doc', to_id)}`),
      parseContent(content).references.map(({ rel, document_id }) => `${rel} ${document_id}`),
    ) &&
    // The events of a draft record its links only when it is issued.
    (issued_at === null ||
      hasSameItems(
        indexedLinks(outward, () => type),
        linksOf('from'),
      )) &&
    hasSameItems(
      indexedLinks(inward, (row) => row.peer_type),
      linksOf('to'),
    )
  if (!isConsistent) failCheck('LINK', 'the link index does not match the events')
}

/** Compares without regard to order. */
const hasSameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.toSorted().join('\n') === b.toSorted().join('\n')

/** Checks that the version a link pins is a version of the other document. */
export const checkPin = ({ peer: version, ...link }: EventLink, peer: LineageNode): void => {
  if (!isPinned(version)) return
  const pinned = peer.history.events[version.seq - 1]?.hash.toString('hex')
  if (pinned !== version.hash)
    failCheck('LINK', 'the other document has no such version', { seq: link.seq })
}

const isPinned = (version: EventLink['peer']): version is HistoryVersion => 'hash' in version

/** The counterpart of a link in the other document's history, pinned to this document. */
export const reciprocalLink = (link: EventLink, own: LineageNode, peer: LineageNode): EventLink => {
  checkPin(link, peer)
  const direction = link.direction === 'from' ? 'to' : 'from'
  const reciprocal = peer.links.find({ relation: link.relation, direction }, own.history.stream)
  if (reciprocal === undefined) {
    return failCheck('LINK', 'the link is not in both histories', { seq: link.seq })
  }
  checkPin(reciprocal, own)
  if (!isPinned(link.peer) && !isPinned(reciprocal.peer))
    failCheck('LINK', 'neither history pins the other', { seq: link.seq })
  return reciprocal
}

/** A step without a number. Steps are ordered by time, `stream` and `seq`; links use `key`. */
export interface UnnumberedStep {
  key: string
  stream: string
  seq: number
  step: Omit<LineageStep, 'step' | 'on_step'>
  onKey?: string
}

export const documentStep = ({ document, history }: LineageNode, side: Role): UnnumberedStep => {
  const first = history.events.find((event) => !isSealedFor(event, side)) ?? history.events[0]!
  const head = history.events.at(-1)!
  return {
    key: history.stream,
    stream: history.stream,
    seq: 0,
    step: {
      kind: 'document',
      sealed: false,
      at: first.header.at,
      document: {
        id: encodeId('doc', document.id),
        document_type: document.type,
        ...ownState(document, side),
        status: document.status,
      },
      head: { seq: head.header.seq, hash: head.hash.toString('hex') },
    },
  }
}

/** The events of a document that are sealed for this side. */
export const sealedEvents = ({ history }: LineageNode, side: Role): UnnumberedStep[] =>
  history.events
    .filter((event) => isSealedFor(event, side))
    .map(({ header, hash }) => ({
      key: `${history.stream} ${header.seq}`,
      stream: history.stream,
      seq: header.seq,
      onKey: history.stream,
      step: {
        kind: 'event' as const,
        sealed: true,
        at: header.at,
        held_by: 'counterparty' as const,
        seq: header.seq,
        commitment: header.c[otherSideOf(side)],
        event_hash: hash.toString('hex'),
      },
    }))

/** Another party's document behind a link that the viewer may read, shown only as its hash. */
export const sealedDocument = ({ peer, at, seq }: EventLink): UnnumberedStep => {
  if (!isPinned(peer)) return failCheck('LINK', 'the other document is not pinned', { seq })
  const { stream, hash } = peer
  const step = { kind: 'document', sealed: true, at, held_by: 'third_party' } as const
  return { key: stream, stream, seq: 0, step: { ...step, commitment: hash } }
}

export interface UnnumberedLink {
  from: string
  to: string
  relation: string
  at: string
  recorded: { key: string; seq: number }[]
  sealed: boolean
}

/** Numbers the steps by time, stream and seq, and omits links to steps that are not shown. */
export const numberSteps = (
  unnumbered: readonly UnnumberedStep[],
  links: readonly UnnumberedLink[],
): { steps: LineageStep[]; links: LineageLink[] } => {
  const order = unnumbered.toSorted(
    (a, b) => compare(a.step.at, b.step.at) || compare(a.stream, b.stream) || compare(a.seq, b.seq),
  )
  const numbers = new Map(order.map(({ key }, i) => [key, i + 1]))
  const steps = order.map(({ step, key, onKey }): LineageStep => ({
    step: numbers.get(key)!,
    ...step,
    ...(onKey === undefined ? {} : { on_step: numbers.get(onKey)! }),
  }))
  const shown = links.filter(({ from, to }) => numbers.has(from) && numbers.has(to))
  return {
    steps,
    links: shown
      .map(({ from, to, relation, at, recorded, sealed }) => ({
        from: numbers.get(from)!,
        to: numbers.get(to)!,
        relation,
        at,
        recorded_in: recorded
          .map(({ key, seq }) => ({ step: numbers.get(key)!, seq }))
          .toSorted((a, b) => a.step - b.step || a.seq - b.seq),
        sealed,
      }))
      .toSorted((a, b) => a.from - b.from || a.to - b.to || compare(a.relation, b.relation)),
  }
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
