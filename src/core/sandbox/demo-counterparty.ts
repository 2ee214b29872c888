/**
 * What a played counterparty does with a document that it receives (domain 6): one step after the
 * other, by the scenario that the document names. Anybody else's move on it ends the play.
 */
import type { DocumentTypeName } from '../../contract/document-types.ts'

export type DemoStep = { to: string } | { pays: 'now' | 'in 7 days'; source?: string }

const acknowledge: DemoStep = { to: 'acknowledged' }
const approve: DemoStep[] = [acknowledge, { to: 'approved' }]

const bill: Record<string, DemoStep[]> = {
  auto_approve: approve,
  approve_and_pay: [...approve, { pays: 'now' }],
  approve_and_schedule: [...approve, { pays: 'in 7 days' }],
  acknowledge_only: [acknowledge],
  dispute: [{ to: 'disputed' }],
  dispute_then_approve: [{ to: 'disputed' }, { to: 'approved' }],
  reject: [{ to: 'rejected' }],
  pay_fails: [...approve, { pays: 'now', source: 'acct_test_insufficient_funds' }],
  pay_returned: [...approve, { pays: 'now', source: 'acct_test_return' }],
  manual: [],
}
const offer: Record<string, DemoStep[]> = {
  accept: [acknowledge, { to: 'accepted' }],
  reject: [{ to: 'rejected' }],
  acknowledge_only: [acknowledge],
  manual: [],
}
const credit: Record<string, DemoStep[]> = {
  auto_approve: approve,
  reject: [{ to: 'rejected' }],
  manual: [],
}
const notice: Record<string, DemoStep[]> = {
  acknowledge: [acknowledge],
  dispute: [{ to: 'disputed' }],
  manual: [],
}

/** By type; the first is what happens when the document names none. */
export const scenarios: Partial<Record<DocumentTypeName, Record<string, DemoStep[]>>> = {
  invoice: bill,
  quote: offer,
  purchase_order: offer,
  contract: offer,
  credit_note: credit,
  delivery_note: notice,
  goods_receipt: notice,
  statement: notice,
}

/** The names of a type's scenarios; none for a type that is not played. */
export const scenariosOf = (type: DocumentTypeName): readonly string[] =>
  Object.keys(scenarios[type] ?? {})

/** The scenario of a document; undefined for a type that is not played. */
export const scenarioOf = (
  type: DocumentTypeName,
  named: string | undefined,
): string | undefined => {
  const known = scenarios[type]
  if (known === undefined) return undefined
  return named !== undefined && Object.hasOwn(known, named) ? named : Object.keys(known)[0]
}

export const demoSteps = (type: DocumentTypeName, scenario: string): readonly DemoStep[] =>
  scenarios[type]?.[scenario] ?? []
