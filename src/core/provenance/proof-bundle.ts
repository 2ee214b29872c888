/**
 * The proof bundle of one document for one viewer (provenance 4), and the proof of a pledge (domain
 * 5.6), as canonical JSON. They depend on the heads of the documents and the viewer only, so they
 * omit everything else that varies: the newest checkpoint, the time of the export, the version of
 * the API, the keys.
 */
import type { OpenEvent, Role, TextOf } from '../../../verifier/verify-bundle.mjs'
import type { VerifiedEvent } from './history-verification.ts'

const bundleFormat = 'svc-proof-bundle/2'

/** The slots that each side reads. The counterparty need not know of a pledge. */
const readSlots: Readonly<Record<Role, readonly string[]>> = {
  issuer: ['shared', 'issuer', 'finance'],
  counterparty: ['shared', 'counterparty'],
}

/** What this side reads of an event. */
export const openTo = (role: Role, { open }: OpenEvent): OpenEvent['open'] =>
  slotsOf(open, (slot) => readSlots[role].includes(slot))

const slotsOf = (open: OpenEvent['open'], isRead: (slot: string) => boolean): OpenEvent['open'] =>
  Object.fromEntries(Object.entries(open).filter(([slot]) => isRead(slot)))

/** All events of a document, and that they are in the log. */
export interface LoggedHistory {
  documentId: string
  streamSalt: Buffer
  events: readonly VerifiedEvent[]
  indexes: readonly number[]
  paths: readonly (readonly Buffer[])[]
  checkpoint: string
  head: string
}

export interface BundleContents extends LoggedHistory {
  organizationId: string
  role: Role
  state: Readonly<Record<string, unknown>>
}

/** The events with their places in the log, open as far as `isRead` says. */
const openEvents = (
  { events, indexes, paths }: LoggedHistory,
  isRead: (slot: string, i: number) => boolean,
) =>
  events.map(({ header, open }, i) => ({
    header,
    log: { index: indexes[i], path: paths[i]!.map((node) => node.toString('hex')) },
    open: slotsOf(open, (slot) => isRead(slot, i)),
  }))

/** As steps, since a history may be long. */
export function* bundleText(contents: BundleContents, textOf: TextOf): Generator<void, string> {
  const bundle = bundleOf(contents)
  yield* writtenEvents(bundle.events, textOf)
  return textOf(bundle)
}

/** The writer keeps the texts of the events, and puts that of the whole together from them. */
function* writtenEvents(events: readonly object[], textOf: TextOf): Generator<void, void> {
  for (const event of events) {
    textOf(event)
    yield
  }
}

const bundleOf = (contents: BundleContents) => {
  const { role } = contents
  return {
    format: bundleFormat,
    document: {
      id: contents.documentId,
      stream_salt: contents.streamSalt.toString('hex'),
      state: contents.state,
    },
    viewer: { organization_id: contents.organizationId, role },
    events: openEvents(contents, (slot) => readSlots[role].includes(slot)),
    checkpoint: contents.checkpoint,
    head: contents.head,
  }
}

/** What a lender holds: its agreement, and of the pledged invoice only the slot for lenders. */
export function* pledgeProofText(
  agreement: BundleContents,
  invoice: LoggedHistory,
  { agreementId, textOf }: { agreementId: string; textOf: TextOf },
): Generator<void, string> {
  const end = endOfPledge(invoice.events, agreementId)
  const events = openEvents(invoice, (slot, i) => slot === 'finance' && i <= end)
  yield* writtenEvents(events, textOf)
  return textOf({
    format: 'svc-pledge-proof/1',
    agreement: bundleOf(agreement),
    invoice: {
      document_id: invoice.documentId,
      stream_salt: invoice.streamSalt.toString('hex'),
      events,
      checkpoint: invoice.checkpoint,
      head: invoice.head,
    },
  })
}

/** The place of the event that released the pledge. What follows is not the lender's business. */
const endOfPledge = (events: readonly VerifiedEvent[], agreementId: string): number => {
  const released = events.findIndex(({ open }) => {
    const pledge = open.finance?.body?.['pledge'] as PledgeBody | null | undefined
    return pledge?.agreement_id === agreementId && pledge.status === 'released'
  })
  return released === -1 ? events.length - 1 : released
}

interface PledgeBody {
  agreement_id: string
  status: string
}

export interface ReceiptContents {
  header: VerifiedEvent['header']
  index: number
  path: readonly Buffer[]
  checkpoint: string
  textOf: TextOf
}

/** The proof of one event; the same for both sides, since a header shows no content. */
export const receiptText = ({ header, index, path, checkpoint, textOf }: ReceiptContents): string =>
  textOf({
    format: 'svc-receipt/1',
    header,
    log: { index, path: path.map((node) => node.toString('hex')) },
    checkpoint,
  })
