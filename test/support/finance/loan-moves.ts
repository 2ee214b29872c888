/** Moves of borrower, lender and a stranger, and what each of them answers (domain 5.2). */
import assert from 'node:assert/strict'
import { type Reply, callApi } from '../api-client.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const callers = ['borrower', 'lender', 'stranger'] as const

export type MovingParties = Record<(typeof callers)[number], TestOrganization>

export interface Move {
  name: string
  by: (typeof callers)[number]
  path: string
  body?: object
  expected: string
}

/** A refusal, as its reason or code; or the success. */
const outcomeOf = ({ status, body }: Reply): string =>
  status < 300 ? 'done' : (body.error.details?.reason ?? body.error.code)

/** A legal move is rehearsed; a refused one is made, and changes nothing. */
export const assertMoves = async (
  running: TestService,
  parties: MovingParties,
  record: string,
  { status, moves }: { status: string; moves: readonly Move[] },
): Promise<void> => {
  const read = () => callApi(running, 'GET', record, { key: parties.borrower.key })
  const before = await read()
  assert.equal(before.body.status, status)
  for (const { name, by, path, body = {}, expected } of moves) {
    const { key } = parties[by]
    const rehearsal = { 'svc-dry-run': 'true' }
    const headers = expected === 'done' ? { headers: rehearsal } : {}
    const reply = await callApi(running, 'POST', path, { key, body, ...headers })
    assert.equal(outcomeOf(reply), expected, `${name} by the ${by}: ${reply.text}`)
    if (expected === 'illegal_transition') assert('allowed' in reply.body.error.details)
    if (reply.status === 409) assert('from' in reply.body.error.details, reply.text)
  }
  assert.equal((await read()).text, before.text)
  const asStranger = { key: parties.stranger.key }
  assert.equal((await callApi(running, 'GET', record, asStranger)).status, 404)
}

/** What the moves of an agreement answer to those who may make them. */
export interface AgreementOutcomes {
  status: string
  withdraw: string
  /** By the borrower; anyone else is not the payer. */
  repay: string
  /** By the lender. */
  fund: string
}

export const assertAgreementMoves = async (
  running: TestService,
  parties: MovingParties,
  id: string,
  { status, withdraw, repay, fund }: AgreementOutcomes,
): Promise<void> => {
  const path = `/v1/finance/agreements/${id}`
  const { body } = await callApi(running, 'GET', path, { key: parties.borrower.key })
  const disbursement = `/v1/documents/${body.documents.disbursement_id}/pay`
  const moves = callers.flatMap((by): Move[] => {
    const ofPayer = (payer: string, done: string) =>
      by === 'stranger' ? 'not_found' : by === payer ? done : 'not_payable'
    const ofBoth = by === 'stranger' ? 'not_found' : withdraw
    return [
      { name: 'withdraw', by, path: `${path}/withdraw`, expected: ofBoth },
      { name: 'repay', by, path: `${path}/repayment`, expected: ofPayer('borrower', repay) },
      { name: 'fund', by, path: disbursement, expected: ofPayer('lender', fund) },
    ]
  })
  await assertMoves(running, parties, path, { status, moves })
}
