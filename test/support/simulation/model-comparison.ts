/** What one side must read of a document, and can do with it. */
import assert from 'node:assert/strict'
import {
  type ModelDocument,
  type StepOf,
  allowedFor,
  balanceOf,
  convertibleTo,
  paymentStatuses,
  totalsOf,
} from './model.ts'

type NewModelDocument = Pick<
  ModelDocument,
  'id' | 'type' | 'issuer' | 'lines' | 'canaries' | 'source'
>

export const newModelDocument = (given: NewModelDocument): ModelDocument => ({
  ...given,
  status: 'draft',
  revision: 1,
  isIssued: false,
  numbers: [null, null],
  raisedBy: null,
  children: [],
  credited: 0n,
})

export const canSee = ({ issuer, isIssued }: ModelDocument, one: 0 | 1): boolean =>
  issuer === one || isIssued

/** An answer about a document, against what the model holds of it. */
// oxlint-disable-next-line typescript/no-explicit-any -- an answer
export const assertMatchesModel = (document: ModelDocument, one: 0 | 1, shown: any): void => {
  const isIssuer = document.issuer === one
  const totals = totalsOf(document.lines)
  const expected = {
    id: document.id,
    status: document.status,
    revision: document.revision,
    direction: isIssuer ? 'issued' : 'received',
    number: document.numbers[one],
    issuer_number: document.numbers[document.issuer],
    allowed_transitions: allowedFor(document, one),
    ...totals,
    amount_credited: Number(document.credited) / 100,
    balance_due: Number(balanceOf(document)) / 100,
    references: referencesOf(document),
    hasMetadata: isIssuer,
  }
  const fields = Object.keys(expected).slice(0, -1)
  const found = Object.fromEntries(fields.map((field) => [field, shown[field]]))
  assert.deepEqual({ ...found, hasMetadata: 'metadata' in shown }, expected)
}

const referencesOf = ({ source, type }: ModelDocument): object[] =>
  source === null
    ? []
    : [{ rel: type === 'credit_note' ? 'credits' : 'converts', document_id: source.id }]

/** Queries of one side's list, and what they keep of it. */
export const filtersOf = (one: 0 | 1): [string, (document: ModelDocument) => boolean][] => [
  ['', () => true],
  ['&type=invoice,quote', ({ type }) => type === 'invoice' || type === 'quote'],
  ['&status=draft', ({ status }) => status === 'draft'],
  ['&direction=received', ({ issuer }) => issuer !== one],
  [
    '&phase=pending&direction=issued',
    ({ issuer, status }) =>
      issuer === one && ['submitted', 'sent', 'acknowledged'].includes(status),
  ],
]

/** Whether the step can be taken with the document. */
export const isApplicable = (
  { does, who }: StepOf<'issue' | 'move' | 'convert'>,
  document: ModelDocument,
): boolean => {
  if (!canSee(document, who)) return false
  if (does === 'issue') return document.issuer === who && document.status === 'draft'
  if (does === 'convert') return convertibleTo(document, who).length > 0
  return document.isIssued && allowedFor(document, who).some((to) => !paymentStatuses.includes(to))
}
