/**
 * The scripts of the simulated counterparty (domain 6). It takes the steps of the scenario that a
 * received document names, one by one; a transition by anyone else ends the script.
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

/** By type. The first scenario is the default. */
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

/** The names of a type's scenarios; empty for a type that is not simulated. */
export const scenariosOf = (type: DocumentTypeName): readonly string[] =>
  Object.keys(scenarios[type] ?? {})

/** The scenario of a document; undefined for a type that is not simulated. */
export const scenarioOf = (
  type: DocumentTypeName,
  name: string | undefined,
): string | undefined => {
  const scenariosByName = scenarios[type]
  if (scenariosByName === undefined) return undefined
  return name !== undefined && Object.hasOwn(scenariosByName, name)
    ? name
    : Object.keys(scenariosByName)[0]
}

export const demoSteps = (type: DocumentTypeName, scenario: string): readonly DemoStep[] =>
  scenarios[type]?.[scenario] ?? []
