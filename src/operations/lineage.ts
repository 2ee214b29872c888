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
import { type Moment, atOnce } from '../changes/provenance/verified-log.ts'
import {
  type FoundLink,
  type Known,
  type Placed,
  type PlacedLink,
  checkPin,
  counterpart,
  documentStep,
  linksIn,
  numbered,
  sealedDocument,
  sealedEvents,
} from '../core/provenance/lineage.ts'
import { settlements } from '../core/provenance/payment-lineage.ts'
import { sideOf } from '../core/documents/projection.ts'
import { Failure } from '../../verifier/verify-bundle.mjs'
import { operation } from './operation.ts'
import { uuidIn } from './path-ids.ts'
import { checkpointView, provenance, recordFor } from './provenance.ts'

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
  const id = uuidIn('doc', params.id)
  const { context, organization } = call
  const body = await failClosed(context, () =>
    atOnce(context, organization.mode, async (moment) => {
      const { record, side } = await recordFor(call, moment, id)
      const walk = new Walk(call, moment, id)
      await walk.from({ id, ...record, side }, record.links)
      return {
        document_id: params.id,
        verified: true,
        ...numbered([...walk.placed.values()], [...walk.links.values()]),
        checkpoint: checkpointView(record),
        truncated: walk.truncated,
      }
    }),
  )
  return { body }
})

/** One walk along the links, breadth first, within its bounds. */
class Walk {
  readonly placed = new Map<string, Placed>()
  readonly links = new Map<string, PlacedLink>()
  truncated = false
  readonly #known = new Map<string, Known & { rows: VerifiedRecord['links'] }>()
  readonly #call: Call
  readonly #moment: Moment
  readonly #root: string

  constructor(call: Call, moment: Moment, root: string) {
    this.#call = call
    this.#moment = moment
    this.#root = root
  }

  async from(root: Known, rows: VerifiedRecord['links']): Promise<void> {
    this.#known.set(root.id, { ...root, rows })
    this.#show(root)
    let open = [root]
    for (let depth = 0; open.length > 0; depth += 1) {
      const found: Known[] = []
      for (const one of open) {
        const peers = await this.#follow(one)
        if (depth < limits.lineageMaxDepth) found.push(...peers)
        else if (peers.length > 0) this.truncated = true
      }
      open = found.filter((peer) => this.#show(peer))
    }
  }

  /** The document with its payments and sealed steps; false when it is shown, or has no room. */
  #show(known: Known): boolean {
    if (known.side === undefined || this.placed.has(known.history.stream)) return false
    const { steps, links } = settlements(known)
    const own = [documentStep(known, known.side), ...sealedEvents(known, known.side)]
    if (!this.#place([...own, ...steps])) return false
    for (const link of links) this.links.set(link.to, link)
    return true
  }

  #place(placed: readonly Placed[]): boolean {
    if (this.placed.size + placed.length > limits.lineageMaxSteps) {
      this.truncated = true
      return false
    }
    for (const one of placed) this.placed.set(one.key, one)
    return true
  }

  /** Checks every link of the document; answers the open documents at their other ends. */
  async #follow(own: Known): Promise<Known[]> {
    const peers = await this.#neighbours(own)
    const links = linksIn(own.history.events)
    const found: Known[] = []
    for (const link of links) {
      const peer = peers.find(({ history }) => history.stream === link.peer.stream)
      if (peer === undefined) throw this.#broken(own, 'the other end of a link is missing', link)
      if (link.slot !== 'shared' && link.slot !== own.side) continue
      this.#checked(own, peer, link)
      if (peer.side !== undefined) found.push(peer)
    }
    return found
  }

  #checked(own: Known, peer: Known, link: FoundLink): void {
    const recorded = [{ key: own.history.stream, seq: link.seq }]
    let { at } = link
    try {
      if (peer.side === undefined) {
        checkPin(link, peer)
        if (!this.placed.has(peer.history.stream) && !this.#place([sealedDocument(link)])) return
      } else {
        const other = counterpart(link, own, peer)
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

  #broken(own: Known, message: string, link?: FoundLink): Error {
    const place = link === undefined ? {} : { seq: link.seq }
    return new IntegrityFailure(own.id, new Failure('LINK', message, place))
  }

  /** The documents that the index joins to this one, verified whoever may read them. */
  async #neighbours({ id }: Known): Promise<Known[]> {
    const { rows } = this.#known.get(id)!
    const ids = new Set(rows.map((row) => (row.from_id === id ? row.to_id : row.from_id)))
    return Promise.all([...ids].map((peer) => this.#record(peer)))
  }

  async #record(id: string): Promise<Known> {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const { context, organization } = this.#call
    const record = await verifiedRecord(this.#moment, context, id).catch((error: unknown) => {
      // The caller need not know which document of others it is.
      if (error instanceof IntegrityFailure) throw error.shownAs(this.#root)
      throw error
    })
    if (record === undefined) {
      throw new IntegrityFailure(this.#root, new Failure('LINK', 'a linked document is missing'))
    }
    const { document, history, links: rows } = record
    const side = sideOf(document, organization.id)
    const made = { id, document, history, side, rows }
    this.#known.set(id, made)
    return made
  }
}
