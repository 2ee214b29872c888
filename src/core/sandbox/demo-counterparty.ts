/**
 * What a played counterparty does with a document that it receives (domain 6): one step after the
 * other, by the scenario that the document names. Anybody else's move on it ends the play.
 */
import type { DocumentTypeName } from '../../contract/document-types.ts'

export type DemoStep = { to: string } | { pays: 'now' | 'in 7 days'; source?: string }

const acknowledge: DemoStep = { to: 'acknowledged' }
const approve: DemoStep[] = [acknowledge, { to: 'approved' }]

const invoiceScenarios: Record<string, DemoStep[]> = {
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
const offerScenarios: Record<string, DemoStep[]> = {
  accept: [acknowledge, { to: 'accepted' }],
  reject: [{ to: 'rejected' }],
  acknowledge_only: [acknowledge],
  manual: [],
}
const creditNoteScenarios: Record<string, DemoStep[]> = {
  auto_approve: approve,
  reject: [{ to: 'rejected' }],
  manual: [],
}
const noticeScenarios: Record<string, DemoStep[]> = {
  acknowledge: [acknowledge],
  dispute: [{ to: 'disputed' }],
  manual: [],
}

/** By type; the first is what happens when the document names none. */
export const scenarios: Partial<Record<DocumentTypeName, Record<string, DemoStep[]>>> = {
  invoice: invoiceScenarios,
  quote: offerScenarios,
  purchase_order: offerScenarios,
  contract: offerScenarios,
  credit_note: creditNoteScenarios,
  delivery_note: noticeScenarios,
  goods_receipt: noticeScenarios,
  statement: noticeScenarios,
}

/** The names of a type's scenarios; none for a type that is not played. */
export const scenariosOf = (type: DocumentTypeName): readonly string[] =>
  Object.keys(scenarios[type] ?? {})

/** The scenario of a document; undefined for a type that is not played. */
export const scenarioOf = (
  type: DocumentTypeName,
  named: string | undefined,
): string | undefined => {
  const scenariosByName = scenarios[type]
  if (scenariosByName === undefined) return undefined
  return named !== undefined && Object.hasOwn(scenariosByName, named)
    ? named
    : Object.keys(scenariosByName)[0]
}

export const demoSteps = (type: DocumentTypeName, scenario: string): readonly DemoStep[] =>
  scenarios[type]?.[scenario] ?? []
