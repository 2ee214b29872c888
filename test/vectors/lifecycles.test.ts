/**
 * Checks every type × state × target × side through the API against lifecycles.json (domain 2). A
 * document reaches its state by the moves of the vectors; a state that only the service or a
 * payment reaches is written to the table.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentTypes } from '../../src/contract/document-types.ts'
import { changeDocument } from '../support/documents/change-document.ts'
import { withoutIds, assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { callApi } from '../support/api-client.ts'
import {
  type TestOrganization,
  aDraft,
  aKey,
  exampleLine,
  aPair,
  anInvoice,
  move,
} from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import lifecycles from './lifecycles.json' with { type: 'json' }

type Letter = 'I' | 'C'
interface Row {
  from: string
  to: string
  by: Letter | 'S' | 'raiser'
  via?: string
  pay?: number
  guard?: string
  cause?: string
}

const machines = Object.fromEntries(
  Object.entries(lifecycles).filter(([, rows]) => Array.isArray(rows)),
) as unknown as Record<string, Row[]>
const types = Object.keys(machines)

const statesOf = (type: string): string[] => [
  ...new Set(machines[type]!.flatMap(({ from, to }) => [from, to])),
]
const everyState = [...new Set(types.flatMap(statesOf))].filter((state) => state !== '(new)')
const payTargets = ['payment_scheduled', 'paid']

// Runs without tasks, because the auditor would put the edited documents on hold.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running, 'live')
const { issuer, counterparty } = pair
const actors: Record<Letter, TestOrganization> = { I: issuer, C: counterparty }
const names: Record<Letter, string> = { I: 'issuer', C: 'counterparty' }
const withoutPay: Record<Letter, string> = {
  I: (await aKey(running, issuer, ['documents:read', 'documents:write'])).secret,
  C: (await aKey(running, counterparty, ['documents:read', 'documents:write'])).secret,
}

/** A state of a document and, in a dispute, the side that raised it. */
interface StateCase {
  state: string
  raiser?: Letter
  /** Never issued. */
  isDraft: boolean
  /** The user moves that lead to it from a draft; undefined when there are none. */
  path: Row[] | undefined
}

/** Searches breadth first over user moves that need neither payment nor dispute. */
const pathsOf = (type: string): Map<string, Row[]> => {
  const paths = new Map<string, Row[]>([['draft', []]])
  for (const [state, path] of paths) {
    if (state === 'disputed') continue
    for (const row of machines[type]!) {
      const isUserMove = row.by === 'I' || row.by === 'C'
      if (row.from !== state || !isUserMove || row.pay || paths.has(row.to)) continue
      // A discarded draft is its own case, so that this state is reached by an issued document.
      if (state === 'draft' && row.to === 'cancelled') continue
      paths.set(row.to, [...path, row])
    }
  }
  return paths
}

const stateCasesOf = (type: string): StateCase[] => {
  const paths = pathsOf(type)
  const rows = machines[type]!
  const stateCases = statesOf(type)
    .filter((state) => !['(new)', 'draft', 'disputed'].includes(state))
    .map((state): StateCase => ({ state, isDraft: false, path: paths.get(state) }))
  for (const raiser of ['I', 'C'] as const) {
    const row = rows.find(({ to, by }) => to === 'disputed' && by === raiser)
    if (row === undefined) continue
    const path = [...(paths.get(row.from) ?? []), row]
    stateCases.push({ state: 'disputed', raiser, isDraft: false, path })
  }
  const discard = rows.find(({ from, to }) => from === 'draft' && to === 'cancelled')
  if (discard === undefined) return stateCases
  return [
    { state: 'draft', isDraft: true, path: [] },
    { state: 'cancelled', isDraft: true, path: [discard] },
    ...stateCases,
  ]
}

/** Evaluates a guard for a document that is not credited, converted, listed or paid. */
const holds = ({ guard }: Row): boolean => guard === undefined || !guard.startsWith('payment')

/** The moves that the vectors allow this side; undefined where the document is invisible to it. */
const allowedAt = (
  type: string,
  stateCase: StateCase,
  side: Letter,
  canPay: boolean,
): string[] | undefined => {
  if (stateCase.isDraft && side === 'C') return undefined
  const open = machines[type]!.filter(
    (row) =>
      row.from === stateCase.state &&
      row.via === undefined &&
      holds(row) &&
      (canPay || !row.pay) &&
      (row.by === side || (row.by === 'raiser' && stateCase.raiser === side)),
  )
  // A discarded draft has the state of a cancelled document and is as final.
  return [...new Set(open.map(({ to }) => to))]
}

/** A paid invoice, so that its credit note is a refund with its own lifecycle. */
const paidInvoice = async (): Promise<string> => {
  const line_items = [{ ...exampleLine, quantity: 900_000, unit_price: 1_000 }]
  const { id } = await anInvoice(running, pair, { line_items })
  await changeDocument(running, id, ({ total }) => ({ status: 'paid', amount_paid: total }))
  return id
}
const credited = await paidInvoice()

const aDraftOf = async (type: string): Promise<string> => {
  const isFinance = documentTypes[type as keyof typeof documentTypes].createdBy === 'finance'
  const references = type === 'credit_note' ? [{ rel: 'credits', document_id: credited }] : []
  const document_type = isFinance ? 'invoice' : type
  return (await aDraft(running, pair, { document_type, references })).id
}

/** The id of a document of this type in this state. */
const aDocumentAt = async (type: string, { state, path }: StateCase): Promise<string> => {
  const id = await aDraftOf(type)
  const issue = () => callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
  if (path === undefined) {
    assert.equal((await issue()).status, 200)
    await changeDocument(running, id, () => ({ type, status: state }))
    return id
  }
  for (const { to, by, via } of path) {
    const reply = via ? await issue() : await move(running, actors[by as Letter].key, id, to)
    assert.deepEqual([reply.status, reply.body.status], [200, to], reply.text)
  }
  return id
}

const nameOf = ({ state, raiser, isDraft }: StateCase): string =>
  state +
  (raiser === undefined ? '' : ` by the ${names[raiser]}`) +
  (isDraft && state !== 'draft' ? ' as a draft' : '')

for (const type of types) {
  describe(`domain 2: ${type}`, () => {
    for (const stateCase of stateCasesOf(type)) {
      for (const side of ['I', 'C'] as const) {
        test(`${nameOf(stateCase)} allows the ${names[side]} exactly the moves of the vectors`, () =>
          assertAllowedMoves(type, stateCase, side))
      }
    }
  })
}

async function assertAllowedMoves(type: string, stateCase: StateCase, side: Letter): Promise<void> {
  const { key } = actors[side]
  const id = await aDocumentAt(type, stateCase)
  const legal = allowedAt(type, stateCase, side, true)
  const allowedWithoutPay = allowedAt(type, stateCase, side, false)
  const read = (by: string) => callApi(running, 'GET', `/v1/documents/${id}`, { key: by })
  const before = await read(key)
  if (legal === undefined) assertRefused(before, 'not_found')
  else {
    assert.deepEqual(before.body.allowed_transitions, legal)
    assert.deepEqual((await read(withoutPay[side])).body.allowed_transitions, allowedWithoutPay)
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}/transitions`, { key })
    assert.deepEqual(
      body.allowed.map(({ to }: { to: string }) => to),
      legal,
    )
  }
  const refusals = everyState.filter((to) => !legal?.includes(to) || payTargets.includes(to))
  await Promise.all(
    refusals.map(async (to) => {
      const reply = await move(running, key, id, to)
      if (legal === undefined) assertRefused(reply, 'not_found')
      else if (legal.includes(to)) assertRefused(reply, 'capability_unavailable')
      else {
        const details = assertRefused(reply, 'conflict', 'illegal_transition')
        const from = { allowed: legal, from: stateCase.state, to, side: names[side] }
        assert.deepEqual(details, { reason: 'illegal_transition', ...from })
      }
      if (!payTargets.includes(to)) return
      assertRefused(await move(running, withoutPay[side], id, to), 'insufficient_scope')
    }),
  )
  assert.equal(
    withoutIds(await read(key)),
    withoutIds(before),
    'no refusal has changed the document',
  )
  for (const to of allowedWithoutPay ?? []) {
    const moved = await move(running, withoutPay[side], await aDocumentAt(type, stateCase), to)
    assert.deepEqual([moved.status, moved.body.status], [200, to], moved.text)
  }
}

test('a draft is issued only by /issue, which moves it to the entry state of its type', async () => {
  for (const type of types) {
    const row = machines[type]!.find(({ via }) => via === 'issue')
    if (row === undefined) continue
    const id = await aDraftOf(type)
    assertRefused(await move(running, issuer.key, id, row.to), 'conflict', 'illegal_transition')
    const issued = await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
    assert.equal(issued.body.status, row.to, issued.text)
  }
})

test('contract 11: a target that no type has is an invalid value, not an illegal transition', async () => {
  const { id } = await anInvoice(running, pair)
  for (const to of ['approve', 'open', '', '(new)', 'Approved']) {
    assertProblems(await move(running, counterparty.key, id, to), '/to invalid_value')
  }
})

/** Domain 2.1, «allowed vectors», for the issuer and the counterparty with payments:write. */
const invoiceTable: Record<string, [issuer: string[], counterparty: string[] | undefined]> = {
  draft: [['cancelled'], undefined],
  submitted: [['cancelled'], ['acknowledged', 'approved', 'disputed', 'rejected']],
  acknowledged: [['cancelled'], ['approved', 'disputed', 'rejected']],
  approved: [['disputed'], ['disputed', 'payment_scheduled', 'paid']],
  'disputed by the counterparty': [['cancelled'], ['acknowledged', 'approved', 'rejected']],
  'disputed by the issuer': [
    ['acknowledged', 'cancelled'],
    ['approved', 'rejected'],
  ],
  payment_scheduled: [[], []],
  rejected: [[], []],
  cancelled: [[], []],
  paid: [[], []],
}

test('domain 2.1: the vectors of an invoice match the table in the text', () => {
  const issued = stateCasesOf('invoice').filter(
    (stateCase) => stateCase.state === 'draft' || !stateCase.isDraft,
  )
  const actual = issued.map((stateCase) => [
    nameOf(stateCase),
    (['I', 'C'] as const).map((side) => allowedAt('invoice', stateCase, side, true)),
  ])
  assert.deepEqual(Object.fromEntries(actual), invoiceTable)
})
