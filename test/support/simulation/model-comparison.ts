/** Compares what one party reads of a document, and may do with it, with the model. */
import assert from 'node:assert/strict'
import {
  type ModelDocument,
  allowedFor,
  balanceOf,
  convertibleTo,
  paymentStatuses,
  totalsOf,
} from './model.ts'
import type { StepOf } from './steps.ts'

type NewModelDocument = Pick<
  ModelDocument,
  'id' | 'type' | 'issuer' | 'lines' | 'canaries' | 'source'
>

export const newModelDocument = (document: NewModelDocument): ModelDocument => ({
  ...document,
  status: 'draft',
  revision: 1,
  isIssued: false,
  numbers: [null, null],
  raisedBy: null,
  children: [],
  credited: 0n,
})

export const canSee = ({ issuer, isIssued }: ModelDocument, reader: 0 | 1): boolean =>
  issuer === reader || isIssued

/** Compares a document in a response with the model. */
// oxlint-disable-next-line typescript/no-explicit-any -- a response
export const assertMatchesModel = (document: ModelDocument, reader: 0 | 1, shown: any): void => {
  const isIssuer = document.issuer === reader
  const totals = totalsOf(document.lines)
  const expected = {
    id: document.id,
    status: document.status,
    revision: document.revision,
    direction: isIssuer ? 'issued' : 'received',
    number: document.numbers[reader],
    issuer_number: document.numbers[document.issuer],
    allowed_transitions: allowedFor(document, reader),
    ...totals,
    amount_credited: Number(document.credited) / 100,
    balance_due: Number(balanceOf(document)) / 100,
    references: referencesOf(document),
    hasMetadata: isIssuer,
  }
  const fields = Object.keys(expected).slice(0, -1)
  const actual = Object.fromEntries(fields.map((field) => [field, shown[field]]))
  assert.deepEqual({ ...actual, hasMetadata: 'metadata' in shown }, expected)
}

const referencesOf = ({ source, type }: ModelDocument): object[] =>
  source === null
    ? []
    : [{ rel: type === 'credit_note' ? 'credits' : 'converts', document_id: source.id }]

/** Queries of one party's list, each with the filter that it applies. */
export const filtersOf = (reader: 0 | 1): [string, (document: ModelDocument) => boolean][] => [
  ['', () => true],
  ['&type=invoice,quote', ({ type }) => type === 'invoice' || type === 'quote'],
  ['&status=draft', ({ status }) => status === 'draft'],
  ['&direction=received', ({ issuer }) => issuer !== reader],
  [
    '&phase=pending&direction=issued',
    ({ issuer, status }) =>
      issuer === reader && ['submitted', 'sent', 'acknowledged'].includes(status),
  ],
]

/** Whether the document permits the step. */
export const isApplicable = (
  { action, party }: StepOf<'issue' | 'move' | 'convert'>,
  document: ModelDocument,
): boolean => {
  if (!canSee(document, party)) return false
  if (action === 'issue') return document.issuer === party && document.status === 'draft'
  if (action === 'convert') return convertibleTo(document, party).length > 0
  return (
    document.isIssued && allowedFor(document, party).some((to) => !paymentStatuses.includes(to))
  )
}
