/**
 * Starting a sandbox over (domain 6): both sides of the pair see what a fresh one would show, and
 * keep their keys, sessions and endpoints. Nothing that is append only is touched: every record
 * stands at a position of the feed, and what stands before the reset is out of view for the side
 * that was reset (docs/decisions/0075). A document of which one party was reset is over for the
 * other one too: it can be read, and not moved.
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import type { Session } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  beginAnew,
  connectAnew,
  documentsBeingPaid,
  dropAnswers,
  dropLists,
  endConnections,
  endShared,
  lockForReset,
  stopWhatIsDue,
} from '../../store/sandbox/reset.ts'
import { pairOf } from '../../store/sandbox/practice-pairs.ts'
import type { Change } from '../acting-caller.ts'
import type { BySystem } from './seed-documents.ts'
import { loadedPayment } from '../payments/payment-record.ts'
import { pairTerms } from './practice-pairs.ts'
import { cancel, fail } from '../payments/settlement.ts'
import { openAccountsAnew } from '../payments/open-accounts.ts'

/** Who starts over together. */
const sidesOf = async (session: Session, organization: string) => {
  const pair = await pairOf(session, organization)
  const organizations =
    pair === undefined ? [organization] : [pair.organization_id, pair.demo_organization_id]
  return { organizations, connection: pair?.connection_id }
}

/** Before the reset, by the ordinary rules: what is scheduled is called off, the rest fails. */
export const endPayments = async (
  session: Session,
  bySystem: BySystem,
  organization: string,
): Promise<void> => {
  const { organizations } = await sidesOf(session, organization)
  for (;;) {
    const paying = await documentsBeingPaid(session, organizations)
    if (paying.length === 0) return
    await Promise.all(
      paying.map(({ document_id: id, payer_id }) =>
        bySystem(payer_id, { documents: [id], payments: [id] }, (change) => endPayment(change, id)),
      ),
    )
  }
}

const endPayment = (change: Change, documentId: string): void => {
  const { world } = change
  const active = world.find(
    'payments',
    ({ document_id, status }) => document_id === documentId && status !== 'settled',
  )
  for (const { id } of active) {
    const { document, payment } = loadedPayment(world, id)!
    if (payment.status === 'scheduled') cancel(change, document, payment)
    else fail(change, document, payment, 'processor_declined')
  }
}

/** The reset itself, in one transaction. */
export const resetSandbox = async (tx: Session, organization: string): Promise<void> => {
  const { organizations, connection } = await sidesOf(tx, organization)
  const accounts = await lockForReset(tx, organizations)
  if ((await documentsBeingPaid(tx, organizations)).length > 0) {
    throw refuse(
      'conflict',
      'A payment was made at this very moment. Send the same request again.',
      { reason: 'request_in_progress' },
      { retryAfterSeconds: 1 },
    )
  }

  // From here the change must succeed.
  const at = await databaseNow(tx)
  await openAccountsAnew(tx, accounts, at)
  await stopWhatIsDue(tx, organizations)
  await endShared(tx, organizations)
  await dropLists(tx, organizations)
  await dropAnswers(tx, organizations)
  await endConnections(tx, organizations, at)
  if (connection !== undefined) {
    assert.equal(await connectAnew(tx, { id: connection, ...pairTerms, at }), 1)
  }
  await beginAnew(tx, organizations, at)
}
