/**
 * The proof bundle of one document for one viewer (provenance 4): canonical JSON, a function of the
 * head of the document and the viewer alone. What varies besides is left out: the newest
 * checkpoint, the time of the export, the version of the API, the keys.
 */
import type { Role, TextOf } from '../../../verifier/verify-bundle.mjs'
import type { VerifiedEvent } from './record-verification.ts'

const bundleFormat = 'svc-proof-bundle/1'

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

export const bundleText = (bundled: BundleContents): string => {
  const { role, indexes, paths } = bundled
  return bundled.textOf({
    format: bundleFormat,
    document: {
      id: bundled.documentId,
      stream_salt: bundled.streamSalt.toString('hex'),
      state: bundled.state,
    },
    viewer: { organization_id: bundled.organizationId, role },
    events: bundled.events.map(({ header, open }, i) => ({
      header,
      log: { index: indexes[i], path: paths[i]!.map((node) => node.toString('hex')) },
      open: Object.fromEntries(
        Object.entries(open).filter(([slot]) => slot === 'shared' || slot === role),
      ),
    })),
    checkpoint: bundled.checkpoint,
    head: bundled.head,
  })
}
