/** A service with two identity providers, of which `acme` is the one that tests sign in with. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestOrganization, anOrganization } from '../fixtures.ts'
import { startTestService } from '../test-service.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { type Arrival, oidcClient } from './oidc-client.ts'

export const aSubject = (): string => randomBytes(8).toString('hex')

export const assertProblem = async (expected: string, arrival: Promise<Arrival>): Promise<void> => {
  const { path, problem, refreshCookie } = await arrival
  assert.deepEqual([path, problem, refreshCookie], ['/app/signed-in', expected, undefined])
}

export const startOidcService = async () => {
  const provider = await startIdentityProvider('OIDC_ACME')
  const second = await startIdentityProvider('OIDC_OTHER')
  const running = await startTestService({
    ...provider.settings,
    ...second.settings,
    OIDC_PROVIDERS: 'acme,other',
    OIDC_ACME_NAME: 'Acme',
  })
  /** A member whose address is verified, and who signs in at the provider next. */
  const aMember = async (): Promise<TestOrganization> => {
    const member = await anOrganization(running)
    provider.person = { sub: aSubject(), email: member.email, email_verified: true }
    return member
  }
  return { provider, second, running, aMember, ...oidcClient(running, 'acme') }
}
