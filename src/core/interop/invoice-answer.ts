/**
 * What the buyer has answered to an invoice or credit note, in the codes of the Peppol invoice
 * response. The states through which it went decide it; docs/decisions/0114 has the reasons.
 */
import { type ResponseCode, responseCodes } from '../../contract/code-lists.ts'
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { HistoryMove } from '../provenance/history-moves.ts'
import { type Clarification, clarificationsOf } from './response-clarifications.ts'
import { dateOf } from '../dates.ts'

export interface InvoiceResponse {
  /** One for each move that is answered. */
  id: string
  code: ResponseCode
  issueDate: string
  effectiveDate: string
  clarifications: readonly Clarification[]
}

/** Why an invoice has no response, by the rule that says so. */
export const answerObstacles = {
  'PEPPOL-T111-B02901':
    'No code of the invoice response says what happened to it: a draft, what was cancelled and an invoice that was settled by credit notes alone have none.',
  'OP-BR111-R012':
    'It went back to a state that comes earlier in the order of the invoice response, so the parties have to tell each other without one.',
} as const

export type AnswerObstacle = keyof typeof answerObstacles

export type InvoiceAnswer =
  | { response: InvoiceResponse; obstacle?: undefined }
  | { response?: undefined; obstacle: AnswerObstacle }

export interface AnsweredInvoice {
  type: 'invoice' | 'credit_note'
  /** The public one. */
  id: string
  currency: string
  moves: readonly HistoryMove[]
  /** When its latest payment was begun. */
  paymentBegunAt: string | null
}

/** A code, and the move that gives it. */
interface GivenCode {
  code: ResponseCode
  move: HistoryMove
  /** The state that the move has left. */
  from: HistoryMove | undefined
}

export const answerTo = (invoice: AnsweredInvoice): InvoiceAnswer => {
  let given: GivenCode | undefined
  let furthest = 0
  for (const [i, move] of invoice.moves.entries()) {
    given = codeAfter(invoice.type, { move, from: invoice.moves[i - 1], before: given })
    furthest = Math.max(furthest, placeOf(given))
  }
  if (given === undefined) return { obstacle: 'PEPPOL-T111-B02901' }
  if (placeOf(given) < furthest) return { obstacle: 'OP-BR111-R012' }
  return { response: responseOf(invoice, given) }
}

const order = Object.keys(responseCodes)

/** In the order of codes; -1 without one. */
const placeOf = (given: GivenCode | undefined): number =>
  given === undefined ? -1 : order.indexOf(given.code)

const codeOfStatus: Readonly<Record<string, ResponseCode>> = {
  submitted: 'AB',
  acknowledged: 'IP',
  disputed: 'UQ',
  rejected: 'RE',
}

/** What the seller does with a credit note: its buyer has answered it before, or not at all. */
const sellersStates: Readonly<Record<AnsweredInvoice['type'], readonly string[]>> = {
  invoice: [],
  credit_note: ['applied', 'payment_scheduled', 'paid'],
}

interface CodedMove {
  move: HistoryMove
  from: HistoryMove | undefined
  before: GivenCode | undefined
}

/** The code after a move. What only prepares or ends a payment leaves the approval in force. */
const codeAfter = (
  type: AnsweredInvoice['type'],
  { move, from, before }: CodedMove,
): GivenCode | undefined => {
  const { status } = move
  if ([status, from?.status].some((one = '') => sellersStates[type].includes(one))) return before
  if (status === 'payment_scheduled') return before
  if (status === 'paid' && isAboveZero(move.amount_paid)) return { code: 'PD', move, from }
  if (status === 'paid') return from?.status === 'approved' ? before : undefined
  if (status === 'approved') {
    if (from?.status === 'payment_scheduled') return before
    return { code: isConditional(move, from) ? 'CA' : 'AP', move, from }
  }
  const code = codeOfStatus[status]
  return code && { code, move, from }
}

/** Who approves and gives a reason, or approves after a dispute what was credited since. */
const isConditional = (
  { reason_code, amount_credited }: HistoryMove,
  from: HistoryMove | undefined,
): boolean => reason_code !== null || (from?.status === 'disputed' && isAboveZero(amount_credited))

const isAboveZero = (amount: string): boolean => Number(amount) > 0

const responseOf = (
  { id, currency, paymentBegunAt }: AnsweredInvoice,
  { code, move, from }: GivenCode,
): InvoiceResponse => {
  const { seq, at, reason_code, note, amount_credited } = move
  const isCredited = code === 'CA' && reason_code === null
  return {
    id: `${id}.${seq}`,
    code,
    issueDate: dateOf(at),
    effectiveDate: dateOf(code === 'PD' ? (paymentBegunAt ?? at) : at),
    clarifications: clarificationsOf({
      code,
      reason: isCredited ? (from?.reason_code ?? null) : reason_code,
      note,
      fallback: isCredited ? `Accepted less credit notes of ${amount_credited} ${currency}.` : null,
    }),
  }
}

export const notExportable = (rule: AnswerObstacle, from: string): Refusal =>
  refuse('conflict', answerObstacles[rule], { reason: 'not_exportable', rule, from })
