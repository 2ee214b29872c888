/** Passkeys: what the browser does with them, between the two calls of the service. */
import { call } from './call.ts'
import { type PasskeyAnswer, openAs } from './sign-in.ts'
import type { OpenedSession, Session } from './session.ts'

export interface Passkey {
  id: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** Browsers know them on https, and on localhost. */
export const knowsPasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** The person has closed the window of the browser, or there is no passkey. */
class NothingChosen extends Error {
  override message = 'No passkey was chosen. Try again, or go on in another way.'
}

const chosen = async (asked: Promise<Credential | null>): Promise<PublicKeyCredential> => {
  const credential = await asked.catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Error('This device has a passkey of yours already.')
    throw error instanceof DOMException ? new NothingChosen() : error
  })
  if (credential === null) throw new NothingChosen()
  return credential as PublicKeyCredential
}

/** Asks the person for a passkey; its answer works once. */
export const askPasskey = async (): Promise<PasskeyAnswer> => {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>(
    'POST',
    '/auth/passkeys/sign-in/options',
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await chosen(navigator.credentials.get({ publicKey }))).toJSON()
}

export const signInWithPasskey = async (): Promise<Session> => {
  const body = { passkey: await askPasskey(), client: 'browser' }
  return openAs(
    await call<OpenedSession>('POST', '/auth/passkeys/sign-in/verify', { body, isProof: true }),
  )
}

export const addPasskey = async (name: string): Promise<Passkey> => {
  const options = await call<PublicKeyCredentialCreationOptionsJSON>(
    'POST',
    '/auth/passkeys/register/options',
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const passkey = (await chosen(navigator.credentials.create({ publicKey }))).toJSON()
  return call('POST', '/auth/passkeys/register/verify', { body: { name, passkey } })
}
