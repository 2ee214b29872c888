/** Signs in as a browser does, and keeps its cookie. */
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { type MembershipOptions, aPersonWith } from './people.ts'

/** The cookie that a response sets, as a browser sends it back. */
export const cookieOf = (reply: Reply): string => reply.headers.get('set-cookie')!.split(';')[0]!

const password = 'correct horse battery staple'

export const browserClient = async (running: TestService) => {
  const passwordHash = await hashPassword(password)
  return {
    password,
    aPerson: (memberships?: readonly MembershipOptions[]) =>
      aPersonWith(running.database, { memberships, passwordHash }),
    signIn: (email: string, headers: Record<string, string> = {}): Promise<Reply> =>
      callApi(running, 'POST', '/auth/sessions', {
        body: { email, password, client: 'browser' },
        headers: { 'idempotency-key': '', 'user-agent': 'A browser', ...headers },
      }),
    refresh: (cookie: string, body: object = {}, headers = {}): Promise<Reply> =>
      callApi(running, 'POST', '/auth/sessions/refresh', {
        body,
        headers: { 'idempotency-key': '', cookie, origin: running.baseUrl, ...headers },
      }),
    statusOf: async (token: string): Promise<number> =>
      (await callApi(running, 'GET', '/v1/me', { key: token })).status,
  }
}
