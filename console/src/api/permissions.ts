/** Why the signed-in person may not do something. Undefined: the service decides. */
import { useOfflineRefusal } from './offline.ts'
import { type Session, useSession } from './session.ts'
import type { Scope } from './types.ts'

export const isAdmin = ({ role }: Pick<Session, 'role'>): boolean =>
  role === 'owner' || role === 'admin'

const scopeRefusal = (
  { scopes, role }: Pick<Session, 'role' | 'scopes'>,
  ...needed: readonly Scope[]
): string | undefined =>
  needed.every((scope) => scopes.includes(scope))
    ? undefined
    : `Your role, ${role}, does not include ${texts[needed.find((scope) => !scopes.includes(scope))!]}.`

const texts: Record<Scope, string> = {
  'documents:read': 'reading documents',
  'documents:write': 'changing documents',
  'payments:read': 'reading payments',
  'payments:write': 'payments',
  'treasury:read': 'the treasury',
  'provenance:read': 'proofs',
  'keys:manage': 'keys',
  'webhooks:manage': 'webhooks',
}

/** Of what only owners and admins do. */
export const useAdminRefusal = (): string | undefined => {
  const session = useSession()
  return isAdmin(session) ? undefined : `Owners and admins do this. Your role is ${session.role}.`
}

/** What only reads is answered from what was read before, also offline. */
export const useScopeRefusal = (...needed: readonly Scope[]): string | undefined => {
  const offline = useOfflineRefusal()
  const isRead = needed.every((scope) => scope.endsWith(':read'))
  return scopeRefusal(useSession(), ...needed) ?? (isRead ? undefined : offline)
}
