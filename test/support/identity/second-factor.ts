/** A person's authenticator app, and what it turned on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { databaseNow } from '../../../src/database/database-clock.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { type Queryable, sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { type MembershipOptions, aPersonWith } from './people.ts'

const stepSeconds = 30

/** The code of the app, so many steps from now. */
export const codeOf = async (database: Queryable, secret: string, steps = 0): Promise<string> => {
  const epoch = Math.floor(Date.parse(await databaseNow(database)) / 1000) + steps * stepSeconds
  return generateSync({ secret, epoch })
}

/** A code that no app shows within this minute. */
export const wrongCodeOf = async (database: Queryable, secret: string): Promise<string> => {
  const steps = [-3, -2, -1, 0, 1, 2, 3]
  const right = await Promise.all(steps.map((step) => codeOf(database, secret, step)))
  return Array.from({ length: 10 }, (_, digit) => String(digit).repeat(6)).find(
    (code) => !right.includes(code),
  )!
}

/** As if no code had been used yet. */
export const forgetUsedCodes = async (database: Queryable, userId: string): Promise<void> => {
  const own = sql`t.user_id = ${userId}`
  await changeSealedRows(database, 'second_factors', own, () => ({
    last_step: 1n,
    wrong_codes: 0,
    wrong_code_at: null,
  }))
}

export interface Factor {
  secret: string
  recoveryCodes: string[]
}

/** Turns a second factor on; its codes of now can be used. */
export const turnOnFactor = async (
  running: TestService,
  { key, userId }: { key: string; userId: string },
): Promise<Factor> => {
  const { database } = running
  const started = await callApi(running, 'POST', '/auth/totp', { key, body: {} })
  assert.equal(started.status, 200, started.text)
  const { secret } = started.body
  const body = { code: await codeOf(database, secret) }
  const confirmed = await callApi(running, 'POST', '/auth/totp/confirm', { key, body })
  assert.equal(confirmed.status, 200, confirmed.text)
  await forgetUsedCodes(database, userId)
  return { secret, recoveryCodes: confirmed.body.recovery_codes }
}

export const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password)

/** Failures are counted by network, so each person comes from one of their own. */
const anAddress = (): string => {
  const bytes = [...randomBytes(6)].map((byte) => byte.toString(16))
  return `2001:db8:${bytes.slice(0, 2).join('')}:${bytes.slice(2, 4).join('')}::${bytes[4]}`
}

/** Somebody who signs in by HTTP; the service trusts 127.0.0.1 to name the address. */
export const aPersonAtHome = async (
  running: TestService,
  memberships?: readonly MembershipOptions[],
) => {
  const { database } = running
  const person = await aPersonWith(database, { memberships, passwordHash })
  const address = anAddress()
  const signIn = (more: object = {}, headers: Record<string, string> = {}): Promise<Reply> =>
    callApi(running, 'POST', '/auth/sessions', {
      body: { email: person.email, password, ...more },
      headers: { 'idempotency-key': '', 'x-forwarded-for': address, ...headers },
    })
  /** Without e-mail and password. */
  const signInWith = (body: object, headers: Record<string, string> = {}): Promise<Reply> =>
    signIn({ email: undefined, password: undefined, ...body }, headers)
  return { ...person, address, signIn, signInWith }
}

/** The same with a second factor, which has not been used since it was turned on. */
export const aPersonWithFactor = async (
  running: TestService,
  memberships?: readonly MembershipOptions[],
) => {
  const person = await aPersonAtHome(running, memberships)
  const { token: key } = (await person.signIn()).body
  const factor = await turnOnFactor(running, { key, userId: person.userId })
  const { database } = running
  return {
    ...person,
    ...factor,
    key,
    code: (steps = 0) => codeOf(database, factor.secret, steps),
    wrongCode: () => wrongCodeOf(database, factor.secret),
    forgetUsedCodes: () => forgetUsedCodes(database, person.userId),
  }
}
