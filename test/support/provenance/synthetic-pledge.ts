/** Proofs of a pledge that no honest service would produce: the test chooses every body. */
import { hash } from 'node:crypto'
import { pledgeProofText } from '../../../src/core/provenance/proof-bundle.ts'
import { allSteps } from '../all-steps.ts'
import { stateDigest } from '../../../src/core/provenance/history-event.ts'
import { type Role, canonical, leafHash } from '../../../verifier/verify-bundle.mjs'
import {
  type EventInput,
  SyntheticLog,
  documentIds,
  organizations,
  syntheticContents,
  syntheticDocument,
} from './synthetic-log.ts'

export const agreementIds = ['agr_01kbm9s346q3d25vt4f5v37e3s', 'agr_01kb3e28jt97kb6cq643dzvmxx']

export interface FinanceBody {
  balance_due: string
  due_date: string | null
  pledge: object | null
  status: string
}

const atMinute = (minute: number): string =>
  `2026-11-22T01:${String(minute).padStart(2, '0')}:00.000Z`

export const aPledge = (status: string, agreement = agreementIds[0]!, since = atMinute(0)) => ({
  agreement_id: agreement,
  since,
  status,
})

const due_date = '2026-12-20'

export const ofInvoice = (
  status: string,
  pledge: object | null,
  more: Partial<FinanceBody> = {},
): FinanceBody => ({ balance_due: '108.02', due_date, pledge, status, ...more })

/** A draft, issued, approved, pledged, assigned, paid, released, and pledged again to another. */
export const aPledgeHistory = (): (FinanceBody | null)[] => [
  null,
  ofInvoice('submitted', null),
  ofInvoice('approved', null),
  ofInvoice('approved', aPledge('recorded')),
  ofInvoice('approved', aPledge('assigned')),
  ofInvoice('paid', aPledge('assigned'), { balance_due: '0.00' }),
  ofInvoice('paid', aPledge('released'), { balance_due: '0.00' }),
  ofInvoice('approved', aPledge('recorded', agreementIds[1])),
]

export interface PledgeStory {
  role?: Role
  /** The slot for lenders of each event of the invoice. */
  finance?: (FinanceBody | object | null)[]
  /** The event that the agreement pins. */
  pinned?: number
  /** The agreement for whose pledge the slots are open. */
  opensFor?: string
  /** Changes what the agreement says, before it is hashed. */
  change?: (agreement: AgreementFinance) => unknown
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test may say anything
export type AgreementFinance = any

const invoiceEvents = (finance: readonly (object | null)[]): EventInput[] =>
  finance.map((body, i) => ({
    at: atMinute(i),
    slots: {
      shared: null,
      issuer: { type: 'document.edited', note: `secret ${i}` },
      counterparty: null,
      finance: body,
    },
  }))

const agreementEvents = (finance: unknown): EventInput[] => {
  const { issuer, counterparty } = organizations
  const state = {
    document_type: 'agreement',
    status: 'accepted',
    issuer: { name: 'Lender', organization_id: issuer },
    counterparty: { name: 'Borrower', organization_id: counterparty },
  }
  const type = 'document.issued'
  const actor = { kind: 'system' }
  const parties = { issuer, counterparty }
  const shared = { type, actor, parties, set: state, state: stateDigest(state), finance }
  return [
    {
      at: atMinute(3),
      slots: {
        shared,
        issuer: { set: { number: 'FIN-000001' } },
        counterparty: { set: { number: 'FIN-000002' } },
        finance: null,
      },
    },
  ]
}

/** The proof that a correct service would export of this loan. */
export const pledgeProof = (story: PledgeStory = {}): string => {
  const { role = 'issuer', finance = aPledgeHistory(), pinned = 4 } = story
  const [invoiceId, id] = documentIds as [string, string]
  const invoice = syntheticDocument(invoiceEvents(finance), { id: invoiceId, salts: 'invoice' })
  const event = invoice.events[pinned - 1]
  const authorization = {
    pledge: { balance_due: '108.02', currency: 'USD', document_id: invoiceId, due_date },
    type: 'finance.standing_authorization',
    version: 2,
  }
  const told: AgreementFinance = {
    authorization,
    digest: `sha256:${hash('sha256', canonical(authorization))}`,
    secured_by: {
      stream: invoice.stream,
      seq: pinned,
      hash: (event === undefined ? leafHash('') : event.hash).toString('hex'),
    },
  }
  const inputs = agreementEvents(story.change === undefined ? told : story.change(told))
  const agreement = syntheticDocument(inputs, { id, salts: 'agreement' })
  const log = new SyntheticLog().add(...invoice.events, ...agreement.events)
  return allSteps(
    pledgeProofText(syntheticContents(agreement, log, { role }), syntheticContents(invoice, log), {
      agreementId: story.opensFor ?? agreementIds[0]!,
      textOf: canonical,
    }),
  )
}
