/** A program that wants a session, and the person who approves it (RFC 8628). */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { aPersonAtHome } from './second-factor.ts'

type Service = Pick<TestService, 'baseUrl'>

interface StartedCodes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

export const startDevice = (
  running: Service,
  headers: Record<string, string> = {},
): Promise<Reply> => callApi(running, 'POST', '/auth/device', { body: {}, headers })

export const aDevice = async (
  running: Service,
  headers: Record<string, string> = {},
): Promise<StartedCodes> => {
  const reply = await startDevice(running, headers)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export const pollDevice = (
  running: Service,
  device_code: string,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  callApi(running, 'POST', '/auth/device/token', { body: { device_code }, headers })

/** What a signed-in person does with the code. */
export const decide = (
  running: Service,
  key: string,
  step: 'claim' | 'approve' | 'deny',
  body: { user_code: string; organization_id?: string },
): Promise<Reply> => callApi(running, 'POST', `/auth/device/${step}`, { key, body })

/** A program that the person has approved, and that has not polled yet. */
export const anApprovedDevice = async (
  running: Service,
  key: string,
  organization_id?: string,
): Promise<StartedCodes> => {
  const codes = await aDevice(running)
  const { user_code } = codes
  const claimed = await decide(running, key, 'claim', { user_code })
  assert.equal(claimed.status, 200, claimed.text)
  const body = organization_id === undefined ? { user_code } : { user_code, organization_id }
  const approved = await decide(running, key, 'approve', body)
  assert.equal(approved.status, 200, approved.text)
  return codes
}

/** The same poll gets the same answer: no session is shown, and a code that is gone is none. */
export const dryPoll = async (
  running: Service,
  device_code: string,
): Promise<{ status: number; text: string }> => {
  const { status, text } = await pollDevice(running, device_code, { 'svc-dry-run': 'true' })
  return { status: status === 409 ? 404 : status, text: status < 300 ? '' : text }
}

/** Each program of a test comes from a network of its own. */
export const anAddress = () => ({ 'x-forwarded-for': `198.18.${aByte()}.${aByte()}` })

const aByte = (): number => randomInt(256)

/** People at browsers, and the passing of time. */
export const deviceWorld = (running: TestService) => {
  const { database, baseUrl } = running
  /** As if all codes and sessions had been made, and all polls had come, that much earlier. */
  const passTime = async (ms: number): Promise<void> => {
    const earlier = (at: string) => new Date(Date.parse(at) - ms).toISOString()
    await changeSealedRows(database, 'device_codes', sql`true`, (row) => ({
      created_at: earlier(row.created_at),
      expires_at: earlier(row.expires_at),
      polled_at: row.polled_at && earlier(row.polled_at),
    }))
    await changeSealedRows(database, 'sessions', sql`true`, (row) => ({
      authenticated_at: earlier(row.authenticated_at),
    }))
  }

  const aBrowser = async (memberships?: Parameters<typeof aPersonAtHome>[1]) => {
    const person = await aPersonAtHome(running, memberships)
    const opened = await person.signIn({ client: 'browser' })
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const key: string = opened.body.token
    const refresh = (): Promise<Reply> =>
      callApi(running, 'POST', '/auth/sessions/refresh', {
        body: {},
        headers: { cookie, origin: baseUrl },
      })
    return { ...person, key, refresh, sessionId: opened.body.id as string }
  }
  return { aBrowser, passTime }
}
