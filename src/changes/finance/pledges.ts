/**
 * Pledges (domain 5.4 and 5.6): recorded when an offer is accepted, assigned when the loan is
 * funded, released once. Each step is an event in the invoice's history. It is sealed for the
 * debtor, unless the pledge is disclosed, and then the debtor learns of the last two.
 */
import assert from 'node:assert/strict'
import {
  type Pledge,
  financeOf,
  noticeOf,
  pledgeForDebtor,
  pledgeForIssuer,
  serializeFinance,
} from '../../core/finance/document-finance.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { sharedState } from '../../core/provenance/shared-state.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import { type ChangeContext, type DocumentRow, actorForBoth } from '../change-context.ts'
import { viewersOf } from '../documents/document-access.ts'
import { updateView } from '../documents/document-views.ts'
import { emitEvents } from '../events.ts'
import { appendHistory } from '../history.ts'
import { changeTime } from '../organization-counters.ts'
import { pledgeRowsOf } from './referenced-rows.ts'

export interface NewPledge {
  agreement: string
  invoice: DocumentRow
  fingerprints: readonly string[]
  at: string
}

/** One row for the invoice itself and for each invoice that it replaces. */
export const savePledgeRows = (unit: UnitOfWork, input: NewPledge): void => {
  const { agreement, invoice, fingerprints, at } = input
  for (const [i, fingerprint] of fingerprints.entries()) {
    unit.save('finance_pledges', {
      id: unit.newId(),
      mode: invoice.mode,
      agreement_id: agreement,
      borrower_id: invoice.issuer_id,
      document_id: invoice.id,
      fingerprint,
      is_own: i === 0,
      is_active: true,
      recorded_at: at,
      released_at: null,
    })
  }
}

/** Ends the pledge for this agreement, unless it has ended. */
export const releasePledge = (
  change: ChangeContext,
  invoice: DocumentRow,
  agreement: string,
): void => {
  const { unit } = change
  const held = pledgeRowsOf(unit, invoice, agreement)
  if (held.length === 0) return
  const { updated_at: released_at } = movePledge(change, invoice, { status: 'released' })
  for (const pledge of held) {
    unit.save('finance_pledges', { ...pledge, is_active: false, released_at })
  }
}

export type NewPledgeTerms = Pick<Pledge, 'agreement' | 'isDisclosed' | 'fingerprints' | 'credited'>

export interface PledgeStep {
  status: Pledge['status']
  /** Further fields of the history event, for the issuer alone. */
  history?: object
  /** Given with the first step only: whose pledge it is. */
  pledge?: NewPledgeTerms
}

/** Writes the next step of a pledge into the invoice and its history; notifies who may know. */
export const movePledge = (
  change: ChangeContext,
  invoice: DocumentRow,
  { status, history = {}, pledge }: PledgeStep,
): DocumentRow => {
  const { unit, caller } = change
  const before = financeOf(invoice)
  const updated_at = changeTime(unit, [invoice.issuer_id, invoice.counterparty_id])
  const held = pledge ?? before.pledge
  assert(held, 'a pledge is recorded before it moves')
  const next = nextPledge(invoice, held, { status, since: updated_at })
  const moved: DocumentRow = {
    ...invoice,
    finance: serializeFinance({ ...before, pledge: next }),
    revision: invoice.revision + 1,
    updated_at,
  }
  const forDebtor = noticeOf(next)
  // The debtor must not learn who the lender is, so that only the issuer is named as the actor.
  const { actor } = caller
  const isIssuer = actor.kind !== 'system' && actor.organization_id === invoice.issuer_id
  const shown = actorForBoth(isIssuer ? actor : { kind: 'system' })
  const head = { type: `pledge.${status}`, actor: shown }
  const recorded = appendHistory(change, moved, {
    shared:
      forDebtor === null
        ? null
        : { ...head, set: { pledge: forDebtor }, state: stateDigest(sharedState(moved)) },
    issuer: { ...head, set: { pledge: pledgeForIssuer(moved) }, ...history },
    counterparty: null,
  })
  const viewers = viewersOf(unit, invoice)
  const told = forDebtor === null ? viewers.filter((side) => side === 'issuer') : viewers
  const event = { type: 'document.edited', extraText: () => '"changes":["pledge"]' } as const
  const { document: counted } = emitEvents(change, recorded, told, [event])
  const saved: DocumentRow = { ...moved, ...counted }
  unit.save('documents', saved)
  for (const side of viewers) updateView(unit, saved, side)
  return saved
}

/** A debtor that was not told of the assignment is not told of the release either. */
const nextPledge = (
  invoice: DocumentRow,
  { agreement, isDisclosed, fingerprints, credited }: NewPledgeTerms,
  { status, since }: Pick<Pledge, 'status' | 'since'>,
): Pledge => {
  const isUnassigned = financeOf(invoice).pledge?.status === 'recorded' && status === 'released'
  const next: Pledge = {
    agreement,
    status,
    since,
    isDisclosed: isDisclosed && !isUnassigned,
    fingerprints,
    ...(credited === undefined ? {} : { credited }),
  }
  const earlierNotice = pledgeForDebtor(invoice)
  if (noticeOf(next) !== null || earlierNotice === null) return next
  return { ...next, earlierNotice }
}
