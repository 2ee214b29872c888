/** How people sign in to this deployment, beside the password. */
import { call } from './call.ts'

export interface SignInMethods {
  /** Nobody owns a live organization of its own yet. */
  setup_required: boolean
  magic_link: 'smtp' | 'console' | null
  /** Identity providers. */
  oidc: readonly { id: string; name: string }[]
}

export const signInMethods = (): Promise<SignInMethods> => call('GET', '/auth/methods')

export interface RequestedLink {
  delivery: 'smtp' | 'console'
  expires_in: number
}

export const askForLink = (email: string): Promise<RequestedLink> =>
  call('POST', '/auth/links', { body: { email } })
