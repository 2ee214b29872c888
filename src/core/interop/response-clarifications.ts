/**
 * Why a buyer answers what it answers, and what it asks of the seller: the reason and the note of a
 * move, in the form of the Peppol invoice response.
 */
import { type ResponseCode, reasonCodes, responseActions } from '../../contract/code-lists.ts'

export interface Clarification {
  code?: { list: 'OPStatusReason' | 'OPStatusAction'; value: string }
  text: string | null
  /** What the invoice should say instead, by business term (BT-13). */
  conditions: readonly { term: string; value: string }[]
}

export interface GivenReason {
  code: ResponseCode
  reason: string | null
  note: string | null
  /** The text if the note has none. */
  fallback: string | null
}

/** These have to give a reason (PEPPOL-T111-R001). */
const needsReason: readonly ResponseCode[] = ['UQ', 'CA', 'RE']

/** The text and the conditions are with the first code, and the text with each code OTH too. */
export const clarificationsOf = (given: GivenReason): Clarification[] => {
  const { text, conditions, actions } = readNote(given.note)
  // Paid in part is said by the code PD alone (PEPPOL-T111-R005).
  const isPartPayment = given.reason === 'PPD'
  const said = text ?? (isPartPayment ? reasonCodes.PPD : given.fallback)
  const needed = needsReason.includes(given.code) ? 'OTH' : null
  const reason = isPartPayment ? 'OTH' : (given.reason ?? needed)
  const codes: Clarification['code'][] = [
    ...(reason === null ? [] : [{ list: 'OPStatusReason' as const, value: reason }]),
    ...actions.map((value) => ({ list: 'OPStatusAction' as const, value })),
  ]
  if (codes.length === 0 && (said !== null || conditions.length > 0)) codes.push(undefined)
  return codes.map((code, i) => ({
    ...(code === undefined ? {} : { code }),
    text: i === 0 || code?.value === 'OTH' ? said : null,
    conditions: i === 0 ? conditions : [],
  }))
}

const actionsLine = /^actions?:(.+)$/i
const conditionLine = /^(BT-[1-9]\d{0,2}|Buyer process reference):\s*(\S.*)$/

/** A line of a note is text unless it has one of the two forms. */
const readNote = (note: string | null) => {
  const lines: string[] = []
  const conditions: { term: string; value: string }[] = []
  const actions: string[] = []
  for (const line of (note ?? '').split('\n').map((one) => one.trim())) {
    const [, term, value] = conditionLine.exec(line) ?? []
    const asked = actionsIn(line)
    if (term !== undefined) conditions.push({ term, value: value! })
    else if (asked.length > 0) actions.push(...asked)
    else lines.push(line)
  }
  const text = lines.join('\n').trim()
  return { text: text === '' ? null : text, conditions, actions: [...new Set(actions)] }
}

/** None unless the line names actions alone. */
const actionsIn = (line: string): string[] => {
  const [, names = ''] = actionsLine.exec(line) ?? []
  const codes = names.split(',').map((name) => name.trim().toUpperCase())
  return codes.every((code) => Object.hasOwn(responseActions, code)) ? codes : []
}
