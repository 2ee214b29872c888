/** The proof of a pledge that a lender can hold (domain 5.6; verifier/FORMAT.md, 16). */
import type { Call, Context } from '../../context.ts'
import { PledgeProof } from '../../contract/shapes/provenance.ts'
import { verifiedRecord } from '../../changes/provenance/verified-record.ts'
import type { LogSnapshot } from '../../changes/provenance/verified-log.ts'
import type { AgreementRow } from '../../core/finance/finance-views.ts'
import { pledgeProofText } from '../../core/provenance/proof-bundle.ts'
import { inTurns } from '../../database/in-turns.ts'
import { agreementOf } from '../../store/finance/agreements.ts'
import {
  type DocumentProof,
  checkedProof,
  coveredRecord,
  loggedHistory,
  proofReply,
} from '../provenance/covered-records.ts'
import { financeReads, requireSetup } from './setup.ts'
import { operation } from '../operation.ts'
import { ownRecord } from '../path-ids.ts'
import { bundleContents, visibleRecord } from '../provenance/provenance.ts'

export const exportAgreement = operation({
  ...financeReads,
  id: 'finance.agreements.export',
  alsoNeeds: 'provenance',
  method: 'GET',
  path: '/v1/finance/agreements/{id}/export',
  since: '1.16.0',
  summary: 'Export the proof of a pledge',
  description:
    'Returns one canonical JSON file that proves offline, with the published verifiers, that the pledged invoice was approved, its balance and due date then, and that this pledge is the only one. Of the invoice it opens nothing else. The same state of both documents always results in the same bytes. If a last change is not in the log yet, the request waits for it for up to 5 seconds.',
  scopes: ['provenance:read'],
  response: PledgeProof,
  errors: [
    ...(['not_found', 'sandbox_isolation', 'capability_unavailable'] as const),
    ...(['integrity_failure', 'service_unavailable'] as const),
  ],
}).reads(async (call, { params }) => {
  await requireSetup(call)
  const agreement = await ownRecord(call, 'agr', params.id, agreementOf)
  const { text } = await checkedProof(
    call,
    (snapshot) => coveredLoan(call, snapshot, agreement),
    (loan) => buildProof(call.context, params.id, loan),
  )
  return proofReply(text, params.id)
})

type CoveredLoan = NonNullable<Awaited<ReturnType<typeof coveredLoan>>>

/** Undefined while an event of the agreement or of the invoice is not in the log yet. */
const coveredLoan = async (
  call: Call,
  snapshot: LogSnapshot,
  { agreement_document, invoice_id }: AgreementRow,
) => {
  const agreement = await visibleRecord(call, snapshot, agreement_document)
  // The lender is no party of the invoice, and learns of it only what the proof opens.
  const record = await verifiedRecord(snapshot, call.context, invoice_id)
  const invoice = record && (await coveredRecord(call, snapshot, record))
  return agreement && invoice && { agreement, invoice }
}

const buildProof = async (
  context: Context,
  agreementId: string,
  { agreement, invoice }: CoveredLoan,
): Promise<DocumentProof> => {
  const { document, history, log } = agreement.record
  const text = await inTurns(
    pledgeProofText(
      await bundleContents(context, agreement),
      await loggedHistory(context, invoice),
      { agreementId, textOf: history.textOf },
    ),
  )
  return { kind: 'pledge', document: document.id, text, trust: log.trust }
}
