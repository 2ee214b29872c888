/** Documents as exports take them (domain 7). */
import { Failure } from '../../../verifier/verify-bundle.mjs'
import type { Call } from '../../context.ts'
import type { DocumentTypeName, Side } from '../../contract/document-types.ts'
import type { RenderFormat } from '../../contract/render-formats.ts'
import type { Profile } from '../../contract/shapes/organization.ts'
import {
  currentProfile,
  laterProfiles,
  profileByDigest,
  profileShownOn,
} from '../../changes/identity/organization-profile.ts'
import { attributeFailure } from '../../changes/provenance/integrity-failure.ts'
import { failClosed } from '../../changes/provenance/verified-read.ts'
import { recordedHistory } from '../../changes/provenance/recorded-history.ts'
import { parseContent } from '../../core/documents/content.ts'
import { partyProfilesOf } from '../../core/documents/party-profiles.ts'
import { emptyProfile } from '../../core/identity/organization-profile.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { withGapsFilled } from '../../core/interop/completed-parties.ts'
import type { ExportedDocument, ReferencedDocument } from '../../core/interop/exported-document.ts'
import { type InvoiceAnswer, answerTo } from '../../core/interop/invoice-answer.ts'
import { gapsIn, renderers } from '../../core/interop/render-formats.ts'
import { parsePayment } from '../../core/payments/payment-record.ts'
import { historyMoves } from '../../core/provenance/history-moves.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { documentOf } from './document-lookup.ts'

/**
 * The document with the profiles of its parties and the numbers of what it refers to. A draft has
 * the present profiles, without the other side's once the connection has ended. An issued document
 * has those at issue; what its format needs and they lack is filled once and for all
 * (docs/decisions/0152).
 */
export const exportedDocument = async (
  call: Call,
  document: LoadedDocument,
  format: RenderFormat,
): Promise<ExportedDocument> => {
  const content = parseContent(document.content)
  const [issuer, counterparty, references, answer] = await Promise.all([
    profileIn(call, document, 'issuer'),
    profileIn(call, document, 'counterparty'),
    referencedDocuments(call, content.references),
    renderers[format].isAnswer === true ? invoiceAnswer(call, document) : undefined,
  ])
  const exported: ExportedDocument = {
    type: document.type as DocumentTypeName,
    number: document.issuer_number,
    content,
    parties: { issuer, counterparty } satisfies Record<Side, Profile>,
    references,
    connection: encodeId('con', document.connection_id),
    isDraft: document.issued_at === null,
    isSandbox: call.organization.mode === 'test',
    ...(answer === undefined ? {} : { answer }),
  }
  return document.issued_at === null ? exported : completed(call, document, { exported, format })
}

/** A PDF is made of what there is, and shows what was missing once nothing is. */
const completed = async (
  { read }: Call,
  document: LoadedDocument,
  { exported, format }: { exported: ExportedDocument; format: RenderFormat },
): Promise<ExportedDocument> => {
  const gaps = gapsIn(exported, format)
  if (gaps.length === 0) return exported
  const laterOf = async (side: Side): Promise<Profile[]> =>
    gaps.some((gap) => gap.startsWith(`${side}.`))
      ? laterProfiles(read, document[`${side}_id`], partyProfilesOf(document)[side])
      : []
  const [issuer, counterparty] = await Promise.all([laterOf('issuer'), laterOf('counterparty')])
  const filled = withGapsFilled(exported, { issuer, counterparty }, (one) => gapsIn(one, format))
  const isRefused = renderers[format].missing !== undefined
  return isRefused || gapsIn(filled, format).length === 0 ? filled : exported
}

/** From the history up to the version of the document that was loaded. */
const invoiceAnswer = (call: Call, document: LoadedDocument): Promise<InvoiceAnswer> =>
  failClosed(call.context, () =>
    attributeFailure(document.id, async () => {
      const { events } = await recordedHistory(call.read, call.context, document.id)
      const { head_seq: head, payment } = document
      if (events.length < head) throw new Failure('CHAIN', 'the newest events are missing')
      return answerTo({
        id: encodeId('doc', document.id),
        type: document.type === 'credit_note' ? 'credit_note' : 'invoice',
        currency: parseContent(document.content).currency,
        moves: historyMoves(events.slice(0, head)),
        paymentBegunAt: payment === null ? null : parsePayment(payment).processing_at,
      })
    }),
  )

const profileIn = async (
  { read }: Call,
  document: LoadedDocument,
  side: Side,
): Promise<Profile> => {
  const organization = document[`${side}_id`]
  if (document.issued_at === null) {
    return side === 'issuer'
      ? currentProfile(read, organization)
      : profileShownOn(read, document.connection_id, organization)
  }
  const digest = partyProfilesOf(document)[side]
  return digest === undefined ? emptyProfile : profileByDigest(read, organization, digest)
}

const referencedDocuments = async (
  call: Call,
  references: readonly { rel: ReferencedDocument['rel']; document_id: string }[],
): Promise<ReferencedDocument[]> => {
  const found = await Promise.all(
    references.map(async ({ rel, document_id }) => {
      const id = decodeId('doc', document_id)!
      const document = await documentOf(call, id)
      if (document === undefined || document.issued_at === null) return undefined
      const { type, issuer_number, content } = document
      const date = parseContent(content).document_date
      return { rel, document_type: type, number: issuer_number, date }
    }),
  )
  return found.filter((one) => one !== undefined)
}
