/**
 * What the demo side of a practice pair has sent before anybody asks (domain 6): a bill to approve,
 * a bill to pay, a quote to answer. A demo side that has numbered anything has sent them already,
 * so that this may be done again.
 */
import { encodeId } from '../../core/ids.ts'
import type { RowsToLock } from '../../engine/write-request.ts'
import type { Rows } from '../../database/rows.ts'
import type { SandboxPairIds } from '../../store/sandbox/practice-pairs.ts'
import type { ChangeContext } from '../change-context.ts'
import { moveWithoutPayment } from '../documents/transitions.ts'
import { createDraft } from '../documents/create-draft.ts'
import { issueDraft } from '../documents/issue.ts'

/** Makes a change that nobody asked for, for an organization. */
export type PerformAsSystem = (
  organization: string,
  needs: RowsToLock,
  decide: (change: ChangeContext) => void,
) => Promise<void>

export const seedDocuments = async (
  performAsSystem: PerformAsSystem,
  pairs: readonly SandboxPairIds[],
): Promise<void> => {
  for (const pair of pairs) {
    const { organization_id, demo_organization_id: demo, connection_id } = pair
    const needs = { connections: [connection_id], heads: [organization_id, demo] }
    await performAsSystem(demo, needs, (change) => {
      if (change.unit.get('organization_counters', demo)?.numbers === '{}') seedPair(change, pair)
    })
  }
}

const seedPair = (
  change: ChangeContext,
  { demo_organization_id: demo, connection_id }: SandboxPairIds,
): void => {
  const send = (document_type: 'invoice' | 'quote', unit_price: number) => {
    const line = { description: 'Practice goods', quantity: 1, unit_price, tax_rate: 0.08 }
    const connection = encodeId('con', connection_id)
    const body = { connection_id: connection, document_type, line_items: [line] }
    return issueDraft(change, createDraft(change, demo, 'app', body) as Rows['documents'])
  }
  send('invoice', 250)
  moveWithoutPayment(change, send('invoice', 480), 'counterparty', { to: 'approved' })
  send('quote', 1200)
}
