/** Credentials for tests of something else: whoever asks for the same ones gets the same. */
import type { Scope } from '../../../src/contract/scopes.ts'
import { type TestOrganization, aKey } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { aMemberSession } from './example-calls.ts'

export const sharedCredentials = (running: TestService) => {
  const made = new Map<string, Promise<string>>()
  const shared = (name: string, make: () => Promise<string>): Promise<string> => {
    const credential = made.get(name) ?? make()
    made.set(name, credential)
    return credential
  }
  return {
    keyWith: (organization: TestOrganization, scopes: readonly Scope[]): Promise<string> =>
      shared(`${organization.uuid} ${scopes.join()}`, async () => {
        return (await aKey(running, organization, scopes)).secret
      }),
    memberOf: (organization: TestOrganization): Promise<string> =>
      shared(organization.uuid, () => aMemberSession(running, organization)),
  }
}
