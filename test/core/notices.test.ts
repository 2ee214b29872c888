/** Decision 0115: which notices are sent now, and when the others; what texts of others become. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { type NoticeFacts, isMailAddress, noticeMail } from '../../src/core/notices/notice-mail.ts'
import {
  type NoticeRow,
  type SentLately,
  afterFailure,
  planRound,
} from '../../src/core/notices/notice-schedule.ts'

const now = '2026-11-26T12:00:00.000Z'
const minutesBefore = (minutes: number): string =>
  new Date(Date.parse(now) - minutes * 60_000).toISOString()

const aNotice = (more: Partial<NoticeRow> = {}): NoticeRow => ({
  id: 'n',
  organization_id: 'one',
  kind: 'key_expiring',
  subject_id: 's',
  user_id: 'u',
  email: 'a@example.com',
  token_sealed: Buffer.of(1),
  status: 'waiting',
  reason: null,
  attempts: 0,
  created_at: now,
  due_at: now,
  attempted_at: null,
  ...more,
})

const plan = (notices: readonly NoticeRow[], sent: SentLately = new Map()) =>
  planRound(
    notices.map((notice) => ({ notice, mode: 'live' as const })),
    sent,
    now,
  )

test('a claimed notice counts its attempt, and is due again when the lease ends', () => {
  const { claims, others } = plan([aNotice({ attempts: 2 })])
  assert.deepEqual([claims.length, others.length], [1, 0])
  const { attempts, attempted_at, due_at } = claims[0]!
  assert.deepEqual([attempts, attempted_at], [3, now])
  assert.equal(Date.parse(due_at!) - Date.parse(now), limits.noticeLeaseMs)
})

test('a round claims the oldest ten, and leaves the others as they are', () => {
  const many = Array.from({ length: 15 }, (_, i) => aNotice({ id: String(i) }))
  const { claims, others } = plan(many)
  const first = Array.from({ length: limits.noticesSentPerRound }, (_, i) => String(i))
  assert.deepEqual(
    claims.map(({ id }) => id),
    first,
  )
  assert.deepEqual(others, [])
})

test('what exceeds the hour of its organization or of its recipient waits, without an attempt', () => {
  const full: [string, number][] = [
    ['one', limits.noticesPerHourMax.live],
    ['b@example.com', limits.noticesPerRecipientPerHourMax],
  ]
  const other = { organization_id: 'two' }
  const notices = [
    aNotice(),
    aNotice({ ...other, email: 'b@example.com' }),
    aNotice({ ...other, id: 'sent' }),
  ]
  const { claims, others } = plan(notices, new Map(full))
  assert.deepEqual(
    claims.map(({ id }) => id),
    ['sent'],
  )
  for (const { attempts, due_at, status } of others) {
    assert.deepEqual([attempts, status], [0, 'waiting'])
    assert(due_at! > now)
  }
  const last = new Map([['one', limits.noticesPerHourMax.live - 1]])
  assert.equal(plan([aNotice(), aNotice({ id: 'm' })], last).claims.length, 1)
})

test('invitations to an address are few in an hour, and hold up none of its notices', () => {
  const { invitationsPerRecipientPerHourMax: max } = limits
  const invitations = Array.from({ length: max + 2 }, (_, i) =>
    aNotice({
      id: `invitation ${i}`,
      kind: i % 2 === 0 ? 'connection_invitation' : 'member_invitation',
      organization_id: `inviter ${i}`,
      user_id: null,
    }),
  )
  const own = aNotice({ id: 'own', kind: 'approval_wanted' })
  const sent: SentLately = new Map()
  const first = plan(invitations, sent)
  assert.equal(first.claims.length, max)
  assert.deepEqual(
    first.others.map(({ status, attempts }) => [status, attempts]),
    [
      ['waiting', 0],
      ['waiting', 0],
    ],
  )
  assert.deepEqual(
    plan([own], sent).claims.map(({ id }) => id),
    ['own'],
  )
})

test('failed payments use up half of an hour at most, and hold up nothing else', () => {
  const limitsOfHour = [
    [limits.noticesPerRecipientPerHourMax, { email: 'a@example.com' }],
    [limits.noticesPerHourMax.live, {}],
  ] as const
  for (const [max, recipient] of limitsOfHour) {
    const failures = Array.from({ length: max }, (_, i) =>
      aNotice({ kind: 'payment_failed', email: `${i}@example.com`, ...recipient }),
    )
    const sent: SentLately = new Map()
    let claimed = 0
    while (failures.length > 0) {
      claimed += plan(failures.splice(0, limits.noticesSentPerRound), sent).claims.length
    }
    assert.equal(claimed, max / 2)
    const own = aNotice({ kind: 'approval_wanted', email: 'a@example.com' })
    assert.equal(plan([own], sent).claims.length, 1)
  }
})

test('a retry within the hour is counted already', () => {
  const retried = aNotice({ attempts: 1, attempted_at: minutesBefore(5) })
  assert.equal(plan([retried], new Map([['one', limits.noticesPerHourMax.live]])).claims.length, 1)
})

test('after a day a notice is not sent any more, and its token is gone', () => {
  const { claims, others } = plan([aNotice({ created_at: minutesBefore(24 * 60 + 1) })])
  assert.deepEqual(claims, [])
  const [{ status, reason, due_at, token_sealed }] = others as [NoticeRow]
  assert.deepEqual([status, reason, due_at, token_sealed], ['failed', 'too late', null, null])
})

test('retries wait longer and longer, seven times', () => {
  const waits = limits.noticeRetryMinutes.map((_, i) => {
    const { due_at, status } = afterFailure(aNotice({ attempts: i + 1 }), 'ETIMEDOUT', now)
    assert.equal(status, 'waiting')
    return (Date.parse(due_at!) - Date.parse(now)) / 60_000
  })
  assert.deepEqual(waits, [1, 5, 15, 60, 120, 240, 480])
  const last = afterFailure(aNotice({ attempts: 8 }), 'ETIMEDOUT', now)
  assert.deepEqual([last.status, last.reason, last.token_sealed], ['failed', 'ETIMEDOUT', null])
})

const organization = { id: 'org_1', name: 'Acme\r\nBcc: thief@example.com', mode: 'live' }
const mailOf = (facts: NoticeFacts, more: object = {}) =>
  noticeMail(facts, {
    organization: { ...organization, ...more },
    appUrl: 'https://docs.example/app',
  })

test('line breaks, turned texts and markup of others stay one line of text', () => {
  const hostile = 'x\r\nBcc: thief@example.com\u2028\u202e<script>alert("1")</script>'
  const approval: NoticeFacts = {
    kind: 'approval_wanted',
    approval: 'apr_1',
    summary: hostile,
    expires_at: now,
  }
  const { subject, text, html } = mailOf(approval)
  const shown = subject.replaceAll('\u200c', '')
  assert.equal(shown, 'Approval wanted: x Bcc: thief@example.com <script>alert("1")</script>')
  // oxlint-disable-next-line no-control-regex -- this is what it looks for
  assert.doesNotMatch(text, /[\r\u2028\u202e]|^Bcc/m)
  assert(!html.includes('<script') && html.includes('&lt;script&gt;'))
  assert(html.includes('<a href="https://docs.example/app/o/org_1/approvals?approval=apr_1">'))
})

test('a long text of others is cut, in the subject as well', () => {
  const key = { name: 'k'.repeat(5_000), prefix: 'rk_live_dx1_abcdefgh' }
  const { subject, text } = mailOf({ kind: 'key_expiring', key, expires_at: now })
  assert(subject.length < limits.noticeTextMaxLength + 50)
  assert(text.includes(`${'k'.repeat(limits.noticeTextMaxLength)}…`))
})

test('a name that looks like an address is no link to whoever reads the mail', () => {
  const name = 'Locked! Sign in at https://evil.example/login or www.evil.example'
  const mail = mailOf({ kind: 'connection_invitation' }, { name })
  const own = 'https://docs.example/app'
  for (const text of [mail.subject, mail.text, mail.html]) {
    const others = text.replaceAll(own, '')
    assert.doesNotMatch(others, /\w:\/\/|\w\.[a-z]/i, text)
    assert(others.replaceAll('\u200c', '').includes(name), 'it looks as it was written')
  }
  assert(mail.text.includes(own) && mail.html.includes(`<a href="${own}">`))
  const facts: NoticeFacts = {
    kind: 'endpoint_failing',
    endpoint: { id: 'whk_1', host: 'hooks.acme.example' },
    failures: 10,
    isDisabled: false,
  }
  assert(mailOf(facts).text.includes('at hooks.acme.example of'), 'an own host can be copied')
})

test('a mail of a sandbox says so', () => {
  const { subject } = mailOf({ kind: 'connection_invitation' }, { mode: 'test', name: 'Acme' })
  assert.equal(subject, '[Sandbox] Acme invites you to exchange documents')
})

test('an address is one address', () => {
  for (const email of ['a@example.com', "o'brien+x@example.co.uk", 'ü@exämple.com', 'a@b']) {
    assert(isMailAddress(email), email)
  }
  const others = ['a,b@example.com', 'a@b,c', '<a@b>', 'a@b>', '"a b"@c', 'a@b@c', 'a\u0000@b']
  for (const email of [...others, 'a@b\r\nRCPT', 'a;b@c', 'a@[::1]']) {
    assert(!isMailAddress(email), JSON.stringify(email))
  }
})
