/**
 * The lineage of a document (provenance 3): follows the links in its events from document to
 * document, and verifies each document like a history of its own.
 */
import type { Call } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import { Lineage } from '../../contract/shapes/provenance.ts'
import { type VerifiedRecord, verifiedRecord } from '../../changes/provenance/verified-record.ts'
import type { LogSnapshot } from '../../changes/provenance/verified-log.ts'
import { IntegrityFailure } from '../../changes/provenance/integrity-failure.ts'
import {
  type EventLink,
  type LineageNode,
  type LinkRow,
  type UnnumberedStep,
  type UnnumberedLink,
  checkPin,
  reciprocalLink,
  documentStep,
  numberSteps,
  recordedLinks,
  sealedDocument,
  sealedEvents,
} from '../../core/provenance/lineage.ts'
import { streamOf } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { paymentLineage } from '../../core/provenance/payment-lineage.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import { readVerified } from './logged-events.ts'
import { operation } from '../operation.ts'
import { uuidOrNotFound } from '../path-ids.ts'
import { checkpointView, provenance, verifiedRecordFor } from './provenance.ts'

export const lineage = operation({
  ...provenance,
  id: 'documents.lineage',
  method: 'GET',
  path: '/v1/documents/{id}/lineage',
  summary: 'Retrieve the verified lineage',
  description:
    'Returns the documents that this one was made from and those made from it, each verified like a history, the payments that settled them, and the links between them. A link is recorded in both histories and pins the exact version of the other document; a payment is pinned by the event in which it settled. A sealed step shows only that something exists, since when, and who can open it.',
  response: Lineage,
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('doc', params.id)
  const body = await readVerified(call, async (snapshot) => {
    const { record, side } = await verifiedRecordFor(call, snapshot, id)
    const walk = new LineageWalk(call, snapshot, id)
    await walk.from(nodeOf(id, record, side), record.links)
    return {
      document_id: params.id,
      verified: true,
      ...numberSteps([...walk.steps.values()], [...walk.links.values()]),
      checkpoint: checkpointView(record),
      truncated: walk.truncated,
    }
  })
  return { body }
})

/**
 * Walks along the links, breadth first, within the limits of depth and steps. Documents come before
 * what is shown of each, or the private edits of one side would hide them from the other.
 */
class LineageWalk {
  readonly steps = new Map<string, UnnumberedStep>()
  readonly links = new Map<string, UnnumberedLink>()
  truncated = false
  readonly #payments: UnnumberedStep[] = []
  readonly #sealedEvents: UnnumberedStep[] = []
  readonly #recordsById = new Map<string, LineageNode & { rows: VerifiedRecord['links'] }>()
  readonly #call: Call
  readonly #snapshot: LogSnapshot
  readonly #root: string
  #roomForEvents: number = limits.lineageMaxEvents

  constructor(call: Call, snapshot: LogSnapshot, root: string) {
    this.#call = call
    this.#snapshot = snapshot
    this.#root = root
  }

  async from(root: LineageNode, rows: VerifiedRecord['links']): Promise<void> {
    this.#recordsById.set(root.id, { ...root, rows })
    this.#addDocument(root)
    let frontier = [root]
    for (let depth = 0; frontier.length > 0; depth += 1) {
      const reached: LineageNode[] = []
      for (const node of frontier) {
        const peers = await this.#followLinks(node)
        if (depth < limits.lineageMaxDepth) reached.push(...peers)
        else if (peers.some((peer) => !this.steps.has(peer.history.stream))) this.truncated = true
      }
      frontier = reached.filter((peer) => this.#addDocument(peer))
    }
    for (const step of [...this.#payments, ...this.#sealedEvents]) if (!this.#addStep(step)) return
  }

  /** Adds a document, unless it is present or does not fit; its payments and events come later. */
  #addDocument(node: LineageNode): boolean {
    if (node.side === undefined || this.steps.has(node.history.stream)) return false
    if (!this.#addStep(documentStep(node, node.side))) return false
    const { steps, links } = paymentLineage(node)
    this.#payments.push(...steps)
    this.#sealedEvents.push(...sealedEvents(node, node.side))
    for (const link of links) this.links.set(link.to, link)
    return true
  }

  #addStep(step: UnnumberedStep): boolean {
    if (this.steps.size >= limits.lineageMaxSteps) {
      this.truncated = true
      return false
    }
    this.steps.set(step.key, step)
    return true
  }

  /**
   * Verifies the links of the document that the caller may know of, as far as their other ends fit,
   * and returns those of them that are visible.
   */
  async #followLinks(own: LineageNode): Promise<LineageNode[]> {
    const links = own.links.all.filter(({ slot }) => slot === 'shared' || slot === own.side)
    const peers = await this.#neighbours(own, links)
    const visible: LineageNode[] = []
    for (const link of links) {
      const peer = peers.get(link.peer.stream)
      if (peer === undefined) continue
      this.#verifyLink(own, peer, link)
      if (peer.side !== undefined) visible.push(peer)
    }
    return visible
  }

  #verifyLink(own: LineageNode, peer: LineageNode, link: EventLink): void {
    const recorded = [{ key: own.history.stream, seq: link.seq }]
    let { at } = link
    try {
      if (peer.side === undefined) {
        checkPin(link, peer)
        if (!this.steps.has(peer.history.stream) && !this.#addStep(sealedDocument(link))) return
      } else {
        const other = reciprocalLink(link, own, peer)
        if (other.at < at) at = other.at
        if (other.slot === 'shared' || other.slot === peer.side) {
          recorded.push({ key: peer.history.stream, seq: other.seq })
        }
      }
    } catch (error) {
      if (error instanceof Failure) throw new IntegrityFailure(own.id, error)
      throw error
    }
    const ends = [own.history.stream, peer.history.stream] as const
    const [to, start] = link.direction === 'from' ? ends : [ends[1], ends[0]]
    const { relation } = link
    const sealed = peer.side === undefined
    const key = [start, to, relation].join(' ')
    this.links.set(key, { from: start, to, relation, at, recorded, sealed })
  }

  /** The documents at the other ends, by their streams; verified even if sealed to the caller. */
  async #neighbours(
    own: LineageNode,
    links: readonly EventLink[],
  ): Promise<Map<string, LineageNode>> {
    const { rows } = this.#recordsById.get(own.id)!
    const ends = new Map(rows.map((row) => otherEndOf(row, own.id)))
    const linked = new Map<string, OtherEnd>()
    for (const { peer, seq } of links) {
      const end = ends.get(peer.stream)
      if (end === undefined) {
        const failure = new Failure('LINK', 'the other end of a link is missing', { seq })
        throw new IntegrityFailure(own.id, failure)
      }
      linked.set(end.id, end)
    }
    await this.#load(this.#fitting([...linked.values()]))
    const nodes = [...linked.keys()].map((id) => this.#recordsById.get(id))
    const loaded = nodes.filter((node) => node !== undefined)
    return new Map(loaded.map((node) => [node.history.stream, node]))
  }

  /**
   * Those that are not known yet: no more in all than there can be steps, however many a document
   * has been linked to, and with a bounded number of events, however often each has changed. The
   * shortest histories come first, so a long one keeps nothing out but those that are longer.
   */
  #fitting(ends: readonly OtherEnd[]): string[] {
    const unknown = ends.filter(({ id }) => !this.#recordsById.has(id))
    const room = limits.lineageMaxSteps - this.#recordsById.size
    const fitting: string[] = []
    for (const { id, events } of unknown.slice(0, room).toSorted((a, b) => a.events - b.events)) {
      if (events > this.#roomForEvents) break
      this.#roomForEvents -= events
      fitting.push(id)
    }
    if (fitting.length < unknown.length) this.truncated = true
    return fitting
  }

  async #load(ids: readonly string[]): Promise<void> {
    const atOnce = limits.lineageDocumentsAtOnce
    for (let i = 0; i < ids.length; i += atOnce) {
      await Promise.all(ids.slice(i, i + atOnce).map((id) => this.#loadPeer(id)))
    }
  }

  async #loadPeer(id: string): Promise<void> {
    const { context, organization } = this.#call
    const record = await verifiedRecord(this.#snapshot, context, id).catch((error: unknown) => {
      // The caller must not learn which document of others failed.
      if (error instanceof IntegrityFailure) throw error.attributedTo(this.#root)
      throw error
    })
    if (record === undefined) {
      throw new IntegrityFailure(this.#root, new Failure('LINK', 'a linked document is missing'))
    }
    const side = sideOf(record.document, organization.id)
    this.#recordsById.set(id, { ...nodeOf(id, record, side), rows: record.links })
  }
}

const nodeOf = (
  id: string,
  { document, history }: VerifiedRecord,
  side: LineageNode['side'],
): LineageNode => ({ id, document, history, side, links: recordedLinks(history) })

interface OtherEnd {
  id: string
  events: number
}

/** By its stream. */
const otherEndOf = (row: LinkRow, id: string): [string, OtherEnd] => {
  const other = row.from_id === id ? row.to_id : row.from_id
  const stream = streamOf(row.peer_salt, encodeId('doc', other))
  return [stream, { id: other, events: row.peer_events }]
}
