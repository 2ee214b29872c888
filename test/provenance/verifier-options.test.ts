/** `--since` across erasures, and `--consistency`: both verifiers agree. Needs python3. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkpointBody, signNote } from '../../src/core/provenance/signed-notes.ts'
import {
  type MutableBundle,
  attackedLog,
  genuineBundle,
  logKey,
  trustPath,
} from '../support/provenance/mutated-bundles.ts'
import { impostor } from '../support/provenance/mutated-signatures.ts'
import { naiveConsistency, naiveRoot } from '../support/provenance/naive-tree.ts'
import {
  type EventInput,
  SyntheticLog,
  anInvoiceHistory,
  deterministicBytes,
  origin,
  syntheticBundle,
  syntheticDocument,
} from '../support/provenance/synthetic-log.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

const at = '2026-11-21T01:00:20.000Z'
const link = { relation: 'billed_as', direction: 'to', peer: { seq: 1 } }
const finance = { authorization: { principal: '100.00' }, digest: 'sha256:00' }

/** The history with a link in its last event, and with a second link and a loan in its issue. */
const linked = (): EventInput[] => {
  const inputs: MutableBundle[] = structuredClone(anInvoiceHistory())
  inputs[1].slots.shared.links = [{ ...link, direction: 'from' }]
  inputs[1].slots.shared.finance = finance
  inputs[4].slots.shared.link = link
  inputs[4].slots.shared.payment = { id: 'pay_1', status: 'settled' }
  return inputs
}

/** The bodies of the slots that an honest erasure writes, and what it deletes. */
const erasure = (): { shared: MutableBundle; issuer: MutableBundle; counterparty: object } => {
  const { number: _, metadata: __, ...rest } = JSON.parse(genuineBundle).document.state
  const line = { ...rest.line_items[0], description: '[erased]' }
  return {
    shared: {
      type: 'content.erased',
      set: { ...rest, notes: null, external_refs: [], line_items: [line] },
      erased: [
        { seq: 2, type: 'document.issued', status: 'submitted' },
        { seq: 4, type: 'document.status_changed', status: 'approved' },
        {
          seq: 5,
          type: 'payment.settled',
          status: 'paid',
          payment: { id: 'pay_1', status: 'settled' },
        },
      ],
      links: [{ ...link, direction: 'from' }, link],
      finance: structuredClone(finance),
    },
    issuer: {
      set: { number: 'INV-000001', metadata: [] },
      erased: [{ seq: 1, type: 'document.created', status: 'draft' }, { seq: 2 }],
    },
    counterparty: { set: { number: 'BILL-000001' }, erased: [{ seq: 2 }] },
  }
}

const erasedSlots = {
  issuer: ['1 issuer', '2 shared', '2 issuer', '4 shared', '5 shared'],
  counterparty: ['2 shared', '2 counterparty', '4 shared', '5 shared'],
}
const hiddenSlots = (role: 'issuer' | 'counterparty') => {
  const other = role === 'issuer' ? 'counterparty' : 'issuer'
  return [...erasedSlots[role], ...[1, 2, 3, 4, 5, 6].map((seq) => `${seq} ${other}`)]
}

/** The bundle after an erasure that the change makes dishonest. */
const afterErasure = (
  change: (slots: ReturnType<typeof erasure>) => void = () => {},
  role: 'issuer' | 'counterparty' = 'issuer',
): string => {
  const slots = erasure()
  change(slots)
  const document = syntheticDocument([...linked(), { at, slots }])
  const log = new SyntheticLog().add(...document.events)
  return temporaryFile(syntheticBundle(document, log, { role, erasedSlots: hiddenSlots(role) }))
}

/** The bundle before the erasure, up to an event. */
const beforeErasure = (eventCount: number, role: 'issuer' | 'counterparty' = 'issuer'): string => {
  const document = syntheticDocument(linked())
  const log = new SyntheticLog().add(...document.events)
  return temporaryFile(syntheticBundle(document, log, { role, eventCount }))
}

test('both verifiers name the erased bodies, in text and as JSON', () => {
  const file = afterErasure()
  const [verdict] = verifyWithBoth([[file, '--trust', trustPath]])
  assert.equal(verdict!.exitCode, 0, verdict!.output)
  const erased = [2, 4, 5].map((seq) => ({ seq, slot: 'shared' }))
  const own = [1, 2].map((seq) => ({ seq, slot: 'issuer' }))
  assert.deepEqual(JSON.parse(verdict!.output).erased, [...erased, ...own])
  const [text] = verifyWithBoth([[file, '--trust', trustPath]], [])
  assert.match(
    text!.output,
    /proven: event 2 shared, event 4 shared, event 5 shared, event 1 issuer, event 2 issuer\./,
  )
  const [whole] = verifyWithBoth([[beforeErasure(5), '--trust', trustPath]], [])
  assert.doesNotMatch(whole!.output, /Erased/)
})

test('FORMAT 5: only an erasure, which says what remains, excuses a body that is closed', () => {
  const noted = 'document.noted'
  const files = [
    afterErasure(({ shared }) => (shared.type = noted)),
    afterErasure(({ shared }) => (shared.type = noted), 'counterparty'),
    afterErasure(({ shared, issuer }) => {
      shared.type = noted
      issuer.type = 'content.erased'
    }),
  ]
  for (const { check } of verifyWithBoth(files.map((file) => [file, '--trust', trustPath]))) {
    assert.equal(check, 'WITHHELD')
  }
})

test('--since accepts an erasure that left all but free text behind', () => {
  const lines = [
    ...[1, 2, 3, 4, 5].map((count) => [afterErasure(), '--since', beforeErasure(count)]),
    [afterErasure(), '--since', beforeErasure(5, 'counterparty')],
    [afterErasure(() => {}, 'counterparty'), '--since', beforeErasure(5, 'counterparty')],
    [afterErasure(() => {}, 'counterparty'), '--since', beforeErasure(5)],
    [afterErasure(), '--since', afterErasure()],
  ]
  const verdicts = verifyWithBoth(lines.map((line) => [...line, '--trust', trustPath]))
  for (const [i, { exitCode, output }] of verdicts.entries()) {
    assert.equal(exitCode, 0, `${i}: ${output}`)
  }
})

const lies: [string, (slots: ReturnType<typeof erasure>) => void, number[]][] = [
  ['another total', ({ shared }) => (shared.set.total = '1.00'), [2, 3, 4, 5]],
  ['another status', ({ shared }) => (shared.set.status = 'approved'), [5]],
  ['another party', ({ shared }) => (shared.set.counterparty.name = 'Other'), [2, 5]],
  ['a quantity', ({ shared }) => (shared.set.line_items[0].quantity = '1'), [2, 5]],
  ['a line less', ({ shared }) => (shared.set.line_items = []), [2, 5]],
  ['another text', ({ shared }) => (shared.set.notes = 'Pay elsewhere'), [2, 5]],
  ['a field less', ({ shared }) => delete shared.set.total, [2, 5]],
  ['a field more', ({ shared }) => (shared.set.iban = 'X'), [5]],
  ['another number', ({ issuer }) => (issuer.set.number = 'INV-000002'), [2, 5]],
  ['another type', ({ shared }) => (shared.erased[1].type = 'link.added'), [4, 5]],
  ['another status of an event', ({ shared }) => (shared.erased[1].status = 'rejected'), [4, 5]],
  ['no status of an event', ({ shared }) => delete shared.erased[2].status, [5]],
  ['another payment', ({ shared }) => (shared.erased[2].payment.id = 'pay_2'), [5]],
  ['a link less', ({ shared }) => shared.links.pop(), [5]],
  ['no link', ({ shared }) => delete shared.links, [2, 5]],
  ['no loan', ({ shared }) => delete shared.finance, [2, 5]],
  ['another loan', ({ shared }) => (shared.finance.authorization.principal = '900.00'), [2, 5]],
  ['facts of an empty body', ({ issuer }) => issuer.erased.push({ seq: 3, type: 'paid' }), [3, 5]],
  ['an invented type', ({ issuer }) => (issuer.erased[1].type = 'internal.noted'), [2, 5]],
]

for (const [what, change, counts] of lies) {
  test(`--since finds that an erasure left ${what} behind`, () => {
    const file = afterErasure(change)
    const verdicts = verifyWithBoth([
      ...counts.map((count) => [file, '--since', beforeErasure(count), '--trust', trustPath]),
      [file, '--trust', trustPath],
    ])
    assert.equal(verdicts.pop()!.exitCode, 0, 'the bundle alone does not show it')
    for (const { check, output } of verdicts) assert.equal(check, 'ROLLBACK', output)
  })
}

const checkpointFile = (size: number) => temporaryFile(attackedLog.checkpoint(size))

const proofFile = (from: number, to: number, nodes = proofOf(from, to)) =>
  temporaryFile(JSON.stringify({ from, to, proof: nodes.map((node) => node.toString('hex')) }))

const proofOf = (from: number, to: number) =>
  naiveConsistency(from, attackedLog.leaves.slice(0, to))

test('--consistency proves for each two sizes that the log has only grown', () => {
  const sizes = attackedLog.leaves.map((_, i) => i + 1)
  const pairs = [0, ...sizes].flatMap((from) =>
    sizes.filter((to) => to >= from).map((to) => [from, to] as const),
  )
  const files = [0, ...sizes].map(checkpointFile)
  const line = (from: number, to: number, proof = proofFile(from, to)) => [
    proof,
    '--consistency',
    files[from]!,
    files[to]!,
  ]
  for (const { exitCode, output } of verifyWithBoth(pairs.map((pair) => line(...pair)))) {
    assert.equal(exitCode, 2, output)
  }
  // Each node is needed, and no other.
  const wrong = pairs.flatMap(([from, to]) => {
    const proof = proofOf(from, to)
    const changes = [
      [...proof, Buffer.alloc(32)],
      ...proof.map((_, i) => proof.toSpliced(i, 1)),
      ...proof.map((_, i) => proof.with(i, Buffer.alloc(32))),
    ]
    return changes.map((nodes) => line(from, to, proofFile(from, to, nodes)))
  })
  for (const { check, output } of verifyWithBoth(wrong)) assert.equal(check, 'CONSISTENCY', output)
})

test('--consistency takes notes, answers of the API and bundles, and says what it has proven', () => {
  const bundle = temporaryFile(genuineBundle)
  const { size } = { size: Number(JSON.parse(genuineBundle).checkpoint.split('\n')[1]) }
  const answer = temporaryFile(JSON.stringify({ checkpoint: attackedLog.checkpoint(3), more: 1 }))
  const line = [proofFile(3, size), '--consistency', answer, bundle]
  const [pinned, unpinned] = verifyWithBoth([[...line, '--trust', trustPath], line])
  assert.deepEqual([pinned!.exitCode, unpinned!.exitCode], [0, 2])
  const { valid, consistency } = JSON.parse(pinned!.output)
  assert.deepEqual([valid, consistency], [true, { origin, from: 3, to: size }])
  const [text] = verifyWithBoth([line], [])
  assert.match(text!.output, /^UNPINNED log \S+ has only grown from 3 to \d+ leaves\nNo key/)
})

test('--consistency names what is wrong with its files', () => {
  const fork = [...attackedLog.leaves.slice(0, 4), deterministicBytes('fork', 32)]
  const forked = temporaryFile(signNote(checkpointBody(origin, 5, naiveRoot(fork)), [logKey]))
  const elsewhere = temporaryFile(attackedLog.checkpoint(3, [impostor]))
  const [three, seven] = [checkpointFile(3), checkpointFile(7)]
  const text = (content: string) => temporaryFile(content)
  const good = proofFile(3, 7)
  const lines: [string, string, string, string][] = [
    ['CONSISTENCY', proofFile(5, 7), forked, seven],
    ['CONSISTENCY', proofFile(5, 5), forked, checkpointFile(5)],
    ['CONSISTENCY', proofFile(3, 8), three, seven],
    ['CONSISTENCY', proofFile(3, 7), seven, three],
    ['SIGNATURE', good, elsewhere, seven],
    ['NOTE', good, text('nothing'), seven],
    ['NOTE', good, text(''), seven],
    ['JSON', good, text('{'), seven],
    ['JSON', text('['), three, seven],
    ['SHAPE', good, text('{}'), seven],
    ['SHAPE', text('{"from":3,"to":7}'), three, seven],
    ['SHAPE', text('{"from":3,"to":7,"proof":["00"]}'), three, seven],
    ['SHAPE', text('{"from":3.5,"to":7,"proof":[]}'), three, seven],
    ['SHAPE', text('[]'), three, seven],
    ['FORMAT', good, text('{"format":"x"}'), seven],
    ['FILE', good, 'no such file', seven],
  ]
  const verdicts = verifyWithBoth(
    lines.map(([, proof, ...two]) => [proof, '--consistency', ...two, '--trust', trustPath]),
  )
  for (const [i, { check, output }] of verdicts.entries()) {
    assert.equal(check, lines[i]![0], `${i}: ${output}`)
  }
})
