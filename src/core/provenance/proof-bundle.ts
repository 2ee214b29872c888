/**
 * The proof bundle of one document for one viewer (provenance 4), as canonical JSON. It depends on
 * the document's head and the viewer only, so it omits everything else that varies: the newest
 * checkpoint, the time of the export, the version of the API, the keys.
 */
import type { Role, TextOf } from '../../../verifier/verify-bundle.mjs'
import type { VerifiedEvent } from './history-verification.ts'

const bundleFormat = 'svc-proof-bundle/2'

/** The slots that each side reads. The counterparty need not know of a pledge. */
const readSlots: Readonly<Record<Role, readonly string[]>> = {
  issuer: ['shared', 'issuer', 'finance'],
  counterparty: ['shared', 'counterparty'],
}

export interface BundleContents {
  documentId: string
  streamSalt: Buffer
  organizationId: string
  role: Role
  state: Readonly<Record<string, unknown>>
  events: readonly VerifiedEvent[]
  indexes: readonly number[]
  paths: readonly (readonly Buffer[])[]
  checkpoint: string
  head: string
  textOf: TextOf
}

export const bundleText = (contents: BundleContents): string => {
  const { role, indexes, paths } = contents
  return contents.textOf({
    format: bundleFormat,
    document: {
      id: contents.documentId,
      stream_salt: contents.streamSalt.toString('hex'),
      state: contents.state,
    },
    viewer: { organization_id: contents.organizationId, role },
    events: contents.events.map(({ header, open }, i) => ({
      header,
      log: { index: indexes[i], path: paths[i]!.map((node) => node.toString('hex')) },
      open: Object.fromEntries(
        Object.entries(open).filter(([slot]) => readSlots[role].includes(slot)),
      ),
    })),
    checkpoint: contents.checkpoint,
    head: contents.head,
  })
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
