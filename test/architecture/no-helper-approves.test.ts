/**
 * contract 12: a person approves. No helper of the tests does so for one: a test that lets a write
 * run says whose session decided, so none passes because something approved by itself.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Source, functionsOf, sourceOf, sourcesOf } from '../support/architecture/sources.ts'

const helpers = [
  ...sourcesOf(['test/support', 'sdk/test/support', 'cli/test/support']),
  ...sourcesOf(['scripts', 'bench']),
]

/** The operation by its path or one of its names, or what stands behind it. */
const decisions: readonly RegExp[] = [
  /\/approvals\/\$\{[^}]*\}[^`\s]/,
  /\/approve\b/,
  /approvals[._]approve|approvalsApprove/,
  /decide-approval|saveDecision/,
  /(changeSealedRows|insertRows|updateRows)\([^)]*'approvals'|update approvals/,
]

/** A program is approved by code, which is another operation. */
const isOther = (line: string): boolean => /\/auth\/device\//.test(line)

/** These only say what a call looks like. The test that makes it brings the session. */
const descriptions = ['test/support/approvals/example-approval-calls.ts']

const session = /\b(?:post|send)\(session\b|\bkey: session\b|\{ key: session\b/
const person = /\bperson: Person\b|\bsession: string\b/

/** What comes before the line in the function around it, with the head of that function. */
const functionBefore = (source: Source, line: number): string => {
  const around = functionsOf(source).findLast(
    (one) => one.line <= line && line < one.line + one.length,
  )
  return source.lines.slice(Math.max(0, (around?.line ?? line) - 2), line).join('\n')
}

/** Decisions that are not made in the session of a person who was handed in. */
const decisionsForSomebody = (source: Source): string[] =>
  source.lines.flatMap((text, i) => {
    if (!decisions.some((decision) => decision.test(text)) || isOther(text)) return []
    const isOfPerson = session.test(text) && person.test(functionBefore(source, i + 1))
    return isOfPerson ? [] : [`${source.path}:${i + 1} ${text.trim()}`]
  })

test('no helper approves, but in the session of the person that a test hands it', () => {
  assert(helpers.length > 100)
  const found = helpers
    .filter(({ path }) => !descriptions.includes(path))
    .flatMap((source) => decisionsForSomebody(source))
  assert.deepEqual(found, [])
})

test('those that describe the call make none', () => {
  for (const { path, code, text } of helpers.filter((one) => descriptions.includes(one.path))) {
    assert(
      decisions.some((decision) => decision.test(text)),
      `${path} needs its place no more`,
    )
    const calls = text.split('\n').filter((_, i) => /\bcallApi\(/.test(code.split('\n')[i]!))
    assert(calls.length > 0)
    for (const call of calls) assert.doesNotMatch(call, /approve|rest\b|\/v1\/approvals/, path)
  }
})

const helper = (...body: string[]): Source => sourceOf('test/support/x.ts', body.join('\n'))

test('a helper that approves by itself is found', () => {
  const wrong = [
    ["await callApi(running, 'POST', `/v1/approvals/${id}/approve`, { key: admin.session })"],
    ["await post(key, '/approve', { digest })"],
    ["await callTool(client, 'approvals_approve', { id, digest })"],
    ['await docex.approvals.approve(id, { digest })'],
    ["import { approve } from '../../src/changes/approvals/decide-approval.ts'"],
    ["await changeSealedRows(database, 'approvals', sql`t.id = ${id}`, () => ({}))"],
    ["await database.run(sql`update approvals set status = 'approved'`)"],
    ["await callApi(running, 'POST', `/v1/approvals/${id}/${what}`, { key })"],
    [
      'export const paid = async (running: TestService) => {',
      '  const session = running.adminSession',
      '  await post(session, `/v1/approvals/${id}/approve`, { digest })',
      '}',
    ],
  ]
  for (const body of wrong) {
    assert.equal(decisionsForSomebody(helper(...body)).length, 1, body.join('\n'))
  }
  const right = [
    'export const approveAs = async (person: Person, id: string) => {',
    '  const session = await openSession(person)',
    '  await post(session, `/v1/approvals/${id}/approve`, { digest })',
    '}',
    'export const decideDevice = (key: string) => callApi(running, `/auth/device/approve`, { key })',
    'export const read = (key: string) => callApi(running, `/v1/approvals/${id}`, { key })',
  ]
  assert.deepEqual(decisionsForSomebody(helper(...right)), [])
})
