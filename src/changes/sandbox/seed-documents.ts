/**
 * Seeds a practice pair with documents from its demo side (domain 6): an invoice to approve, an
 * invoice to pay and a quote to answer. Safe to repeat: a demo side that has numbered any document
 * is skipped.
 */
import { encodeId } from '../../core/ids.ts'
import type { SandboxPairIds } from '../../store/sandbox/practice-pairs.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { moveWithoutPayment } from '../documents/transitions.ts'
import { createDraft } from '../documents/create-draft.ts'
import { issueDraft } from '../documents/issue.ts'
import type { PerformAsSystem } from '../system-change-context.ts'

export const seedDocuments = async (
  performAsSystem: PerformAsSystem,
  pairs: readonly SandboxPairIds[],
): Promise<void> => {
  for (const pair of pairs) {
    const { organization_id, demo_organization_id: demo, connection_id } = pair
    const rowsToLock = { connections: [connection_id], counters: [organization_id, demo] }
    await performAsSystem(demo, rowsToLock, (change) => {
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
    return issueDraft(change, createDraft(change, demo, body, { origin: 'app' }) as DocumentRow)
  }
  send('invoice', 250)
  moveWithoutPayment(change, send('invoice', 480), 'counterparty', { to: 'approved' })
  send('quote', 1200)
}
