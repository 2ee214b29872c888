/** People who ask for a sign-in link, and open the mail that they get. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../api-client.ts'
import type { NoticeService } from '../notices/notice-service.ts'
import type { ReceivedMail } from '../notices/parsed-mail.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'

/** What a browser sends back of `Set-Cookie`. */
export const cookieOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .find((one) => one.includes('svc_link='))!
    .split(';')[0]!

export const tokenOf = ({ text }: Pick<ReceivedMail, 'text'>): string =>
  /\/app\/link#t=(sl_[\w-]+)/.exec(text)![1]!

export const linksClient = ({ running, server }: Pick<NoticeService, 'running' | 'server'>) => {
  const ask = (email: string, headers: Record<string, string> = {}): Promise<Reply> =>
    callApi(running, 'POST', '/auth/links', { body: { email }, headers })
  const redeem = (token: string, cookie = '', more: object = {}): Promise<Reply> =>
    callApi(running, 'POST', '/auth/links/redeem', {
      body: { token, ...more },
      headers: { cookie },
    })
  /** Waits for so many mails to the address, and returns them. */
  const mailsTo = async (email: string, count = 1): Promise<ReceivedMail[]> => {
    const mails = () => server.mails.filter(({ to }) => to.includes(email))
    await until(`${count} mails have come`, async () => mails().length >= count)
    return mails()
  }
  /** A link in the mail, with the cookie of the browser that asked. */
  const linkFor = async (email: string): Promise<{ token: string; cookie: string }> => {
    const before = server.mails.filter(({ to }) => to.includes(email)).length
    const asked = await ask(email)
    assert.equal(asked.status, 202, asked.text)
    const mails = await mailsTo(email, before + 1)
    return { token: tokenOf(mails.at(-1)!), cookie: cookieOf(asked) }
  }
  return { ask, redeem, mailsTo, linkFor }
}

/** Everything that was asked for so far has been looked at. */
export const allAnswered = ({ database }: TestService): Promise<void> =>
  until('no request waits', async () => {
    const waiting = await database.rows(sql`select 1 from link_requests where answered_at is null`)
    return waiting.length === 0
  })

/** As if nobody had asked within the hour. */
export const forgetRequests = async (running: TestService): Promise<void> => {
  await allAnswered(running)
  await running.database.run(sql`delete from link_requests`)
}
