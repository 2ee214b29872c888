/**
 * What a document came from and what came of it (provenance 3): the links of its events, followed
 * from document to document, each verified like a history of its own.
 */
import type { Call } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { Lineage } from '../contract/shapes/provenance.ts'
import {
  IntegrityFailure,
  type VerifiedRecord,
  failClosed,
  verifiedRecord,
} from '../changes/provenance/verified-record.ts'
import { type LogSnapshot, withLogSnapshot } from '../changes/provenance/verified-log.ts'
import {
  type EventLink,
  type LineageNode,
  type UnnumberedStep,
  type UnnumberedLink,
  checkPin,
  reciprocalLink,
  documentStep,
  linksIn,
  numberSteps,
  sealedDocument,
  sealedEvents,
} from '../core/provenance/lineage.ts'
import { paymentLineage } from '../core/provenance/payment-lineage.ts'
import { sideOf } from '../core/documents/projection.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { operation } from './operation.ts'
import { uuidOrNotFound } from './path-ids.ts'
import { checkpointView, provenance, verifiedRecordFor } from './provenance.ts'

export const lineage = operation({
  ...provenance,
  id: 'documents.lineage',
  method: 'GET',
  path: '/v1/documents/{id}/lineage',
  summary: 'Read the verified lineage',
  description:
    'The documents that this one came from and that came of it, each verified like a history, the payments that settled them, and the links between them: a link is recorded in both histories and pins the exact version of the other document; a payment is pinned by the event in which it settled. Sealed steps tell that something exists, when, and who can open it.',
  response: Lineage,
}).reads(async (call, { params }) => {
  const id = uuidOrNotFound('doc', params.id)
  const { context, organization } = call
  const body = await failClosed(context, () =>
    withLogSnapshot(context, organization.mode, async (moment) => {
      const { record, side } = await verifiedRecordFor(call, moment, id)
      const walk = new LineageWalk(call, moment, id)
      await walk.from({ id, ...record, side }, record.links)
      return {
        document_id: params.id,
        verified: true,
        ...numberSteps([...walk.placed.values()], [...walk.links.values()]),
        checkpoint: checkpointView(record),
        truncated: walk.truncated,
      }
    }),
  )
  return { body }
})

/** One walk along the links, breadth first, within its bounds. */
class LineageWalk {
  readonly placed = new Map<string, UnnumberedStep>()
  readonly links = new Map<string, UnnumberedLink>()
  truncated = false
  readonly #recordsById = new Map<string, LineageNode & { rows: VerifiedRecord['links'] }>()
  readonly #call: Call
  readonly #moment: LogSnapshot
  readonly #root: string

  constructor(call: Call, moment: LogSnapshot, root: string) {
    this.#call = call
    this.#moment = moment
    this.#root = root
  }

  async from(root: LineageNode, rows: VerifiedRecord['links']): Promise<void> {
    this.#recordsById.set(root.id, { ...root, rows })
    this.#addDocument(root)
    let open = [root]
    for (let depth = 0; open.length > 0; depth += 1) {
      const found: LineageNode[] = []
      for (const one of open) {
        const peers = await this.#followLinks(one)
        if (depth < limits.lineageMaxDepth) found.push(...peers)
        else if (peers.length > 0) this.truncated = true
      }
      open = found.filter((peer) => this.#addDocument(peer))
    }
  }

  /** The document with its payments and sealed steps; false when it is shown, or has no room. */
  #addDocument(known: LineageNode): boolean {
    if (known.side === undefined || this.placed.has(known.history.stream)) return false
    const { steps, links } = paymentLineage(known)
    const own = [documentStep(known, known.side), ...sealedEvents(known, known.side)]
    if (!this.#addSteps([...own, ...steps])) return false
    for (const link of links) this.links.set(link.to, link)
    return true
  }

  #addSteps(placed: readonly UnnumberedStep[]): boolean {
    if (this.placed.size + placed.length > limits.lineageMaxSteps) {
      this.truncated = true
      return false
    }
    for (const one of placed) this.placed.set(one.key, one)
    return true
  }

  /** Checks every link of the document; answers the open documents at their other ends. */
  async #followLinks(own: LineageNode): Promise<LineageNode[]> {
    const peers = await this.#neighbours(own)
    const links = linksIn(own.history.events)
    const found: LineageNode[] = []
    for (const link of links) {
      const peer = peers.find(({ history }) => history.stream === link.peer.stream)
      if (peer === undefined)
        throw this.#brokenLink(own, 'the other end of a link is missing', link)
      if (link.slot !== 'shared' && link.slot !== own.side) continue
      this.#verifyLink(own, peer, link)
      if (peer.side !== undefined) found.push(peer)
    }
    return found
  }

  #verifyLink(own: LineageNode, peer: LineageNode, link: EventLink): void {
    const recorded = [{ key: own.history.stream, seq: link.seq }]
    let { at } = link
    try {
      if (peer.side === undefined) {
        checkPin(link, peer)
        if (!this.placed.has(peer.history.stream) && !this.#addSteps([sealedDocument(link)])) return
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

  #brokenLink(own: LineageNode, message: string, link?: EventLink): Error {
    const place = link === undefined ? {} : { seq: link.seq }
    return new IntegrityFailure(own.id, new Failure('LINK', message, place))
  }

  /** The documents that the index joins to this one, verified whoever may read them. */
  async #neighbours({ id }: LineageNode): Promise<LineageNode[]> {
    const { rows } = this.#recordsById.get(id)!
    const ids = new Set(rows.map((row) => (row.from_id === id ? row.to_id : row.from_id)))
    return Promise.all([...ids].map((peer) => this.#peerRecord(peer)))
  }

  async #peerRecord(id: string): Promise<LineageNode> {
    const known = this.#recordsById.get(id)
    if (known !== undefined) return known
    const { context, organization } = this.#call
    const record = await verifiedRecord(this.#moment, context, id).catch((error: unknown) => {
      // The caller need not know which document of others it is.
      if (error instanceof IntegrityFailure) throw error.attributedTo(this.#root)
      throw error
    })
    if (record === undefined) {
      throw new IntegrityFailure(this.#root, new Failure('LINK', 'a linked document is missing'))
    }
    const { document, history, links: rows } = record
    const side = sideOf(document, organization.id)
    const made = { id, document, history, side, rows }
    this.#recordsById.set(id, made)
    return made
  }
}
