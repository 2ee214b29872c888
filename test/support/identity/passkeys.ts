/** People with passkeys, over HTTP. */
import assert from 'node:assert/strict'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { type Authenticator, anAuthenticator } from './authenticator.ts'
import type { MembershipOptions } from './people.ts'
import { aPersonAtHome } from './second-factor.ts'

type Body = Record<string, unknown>

export const post = (
  running: TestService,
  path: string,
  options: { key?: string; body?: Body; headers?: Record<string, string> } = {},
): Promise<Reply> => callApi(running, 'POST', path, { body: {}, ...options })

/** The options to answer, for a new passkey of the caller or for any. */
export const optionsFor = async (running: TestService, key?: string) => {
  const path = key === undefined ? 'sign-in' : 'register'
  const caller = key === undefined ? {} : { key }
  const reply = await post(running, `/auth/passkeys/${path}/options`, caller)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** As the service is reached: where a page may use passkeys. */
export const siteUrlOf = ({ service }: TestService): string => service.context.config.baseUrl

export const addPasskey = async (
  running: TestService,
  key: string,
  authenticator: Authenticator = anAuthenticator(siteUrlOf(running)),
) => {
  const passkey = authenticator.create(await optionsFor(running, key))
  const body = { name: 'My laptop', passkey }
  const added = await post(running, '/auth/passkeys/register/verify', { key, body })
  assert.equal(added.status, 200, added.text)
  return { authenticator, passkey: added.body as { id: string; name: string } }
}

/** Signs in with what the authenticator answers to fresh options. */
export const signInWith = async (
  running: TestService,
  authenticator: Authenticator,
  more: Body = {},
): Promise<Reply> => {
  const passkey = authenticator.get(await optionsFor(running))
  return post(running, '/auth/passkeys/sign-in/verify', { body: { passkey, ...more } })
}

export const aPersonWithPasskey = async (
  running: TestService,
  memberships?: readonly MembershipOptions[],
) => {
  const person = await aPersonAtHome(running, memberships)
  const key: string = (await person.signIn({ client: 'browser' })).body.token
  return { ...person, key, ...(await addPasskey(running, key)) }
}
