/** A service that sends notices to a mail server of the test. */
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import type { Role } from '../../../src/contract/roles.ts'
import { limits } from '../../../src/contract/limits.ts'
import { raw, sql } from '../../../src/database/sql.ts'
import { inTransaction } from '../../../src/database/transactions.ts'
import { lockOutbox } from '../../../src/store/notices/notices.ts'
import { runAndSealWithin } from '../database/run-and-seal.ts'
import type { TestOrganization } from '../fixtures.ts'
import { type TestService, startTestService } from '../test-service.ts'
import { until } from '../until.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import type { ReceivedMail } from './parsed-mail.ts'

export interface NoticeService {
  running: TestService
  server: MailServer
  /** Waits until the notices of the organization are sent, or will not be; returns their mails. */
  mailsOf(organization: { uuid: string }, kind: string, count?: number): Promise<ReceivedMail[]>
  /** The addresses of those mails, sorted. */
  toldOf(organization: { uuid: string }, kind: string): Promise<string[]>
}

/** A worker that has recorded its attempt has set another time. */
const isClaimed = sql`coalesce(
  due_at = attempted_at + ${raw(`interval '${limits.noticeLeaseMs} milliseconds'`)}, false)`

export interface StoredNotice {
  id: string
  email: string | null
  status: string
  reason: string | null
  attempts: number
  has_token: boolean
  is_claimed: boolean
}

/** What is stored of the notices of an organization. */
export const noticesOf = (
  { database }: TestService,
  { uuid }: { uuid: string },
  kind: string,
): Promise<StoredNotice[]> =>
  database.rows<StoredNotice>(sql`
    select id, email, status, reason, attempts, token_sealed is not null as has_token,
      ${isClaimed} as is_claimed
    from notices where organization_id = ${uuid} and kind = ${kind} order by email`)

export const startNoticeService = async (
  settings: Record<string, string> = {},
): Promise<NoticeService> => {
  const server = await startMailServer()
  const running = await startTestService({ ...server.settings, ...settings })
  const mailsOf: NoticeService['mailsOf'] = async (organization, kind, count = 1) => {
    await until(`${kind} is told`, async () => {
      const stored = await noticesOf(running, organization, kind)
      return stored.length >= count && stored.every(({ status }) => status !== 'waiting')
    })
    const ids = (await noticesOf(running, organization, kind)).map(({ id }) => id)
    return server.mails.filter(({ headers }) =>
      ids.some((id) => headers.get('message-id')?.[0]?.includes(id)),
    )
  }
  return {
    running,
    server,
    mailsOf,
    toldOf: async (organization, kind) =>
      (await mailsOf(organization, kind)).flatMap(({ to }) => to).toSorted(),
  }
}

/** Makes what waits for another attempt due now, once no worker has claimed anything. */
export const hurryNotices = ({ database }: TestService): Promise<void> =>
  until('nothing is claimed', () =>
    inTransaction(database, async (tx) => {
      await lockOutbox(tx)
      const claimed = await tx.rows(sql`select 1 from notices where ${isClaimed}`)
      if (claimed.length > 0) return false
      const due = sql`update notices set due_at = now() where due_at is not null`
      await runAndSealWithin(tx, 'notices', due)
      return true
    }),
  )

/** But the owner, whom every organization has. */
export const everyRole = ['admin', 'developer', 'finance', 'approver', 'viewer', 'member'] as const

/** The addresses of members in each of these roles. */
export const membersInRoles = async <R extends Role>(
  { database }: TestService,
  { uuid }: Pick<TestOrganization, 'uuid'>,
  roles: readonly R[],
): Promise<Record<R, string>> => {
  const addresses: Partial<Record<Role, string>> = {}
  for (const role of roles) {
    const email = `${role}-${uuid}@example.com`
    const user = await createUser(database, { email, name: 'Grace', passwordHash: null })
    await addMembership(database, { user, organization: uuid, role })
    addresses[role] = email
  }
  return addresses as Record<R, string>
}
