/** Who may use an operation (contract 3): the API refuses by it, and MCP explains by it. */
import { type Refusal, refuse } from '../contract/errors.ts'
import { type Role, isAdminRole, mayApprove } from '../contract/roles.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Operation, Requirement } from './operation.ts'

/** What of a caller decides whether it may use an operation. */
export interface Authority {
  credential: { user: { role: Role } | null; grantedScopes: readonly Scope[] }
  /** Granted scopes that the organization can use now. */
  scopes: ReadonlySet<Scope>
}

export type LackingAuthority =
  | { lacks: 'session' | 'admin_session' | 'approver_session' }
  | { lacks: 'scopes'; scopes: readonly Scope[] }
  | { lacks: 'verification'; scope: Scope }

/** What the caller lacks of that which the declaration asks for; undefined if nothing. */
export const lackingAuthority = (
  { allowed, scopes: needed = [] }: Pick<Operation, 'allowed' | 'scopes'>,
  { credential: { user, grantedScopes }, scopes: usable }: Authority,
): LackingAuthority | undefined => {
  switch (allowed) {
    case 'session':
      return user === null ? { lacks: 'session' } : undefined
    case 'approver':
      return user !== null && mayApprove(user.role) ? undefined : { lacks: 'approver_session' }
    case 'admin':
      return user !== null && isAdminRole(user.role) ? undefined : { lacks: 'admin_session' }
    case 'admin or scoped':
      if (user !== null && isAdminRole(user.role)) return undefined
  }
  const missing = needed.filter((scope) => !grantedScopes.includes(scope))
  if (missing.length > 0) return { lacks: 'scopes', scopes: missing }
  const unavailable = needed.find((scope) => !usable.has(scope))
  return unavailable === undefined ? undefined : { lacks: 'verification', scope: unavailable }
}

/** Granted, but the organization cannot use it yet: the only such capability is verification. */
export const capabilityUnavailable = (scope: Scope): Refusal => {
  const capability = scope.split(':')[0]!
  return refuse(
    'capability_unavailable',
    `${scope} is for verified organizations only, and this one is not: ask the operator to verify it.`,
    { capability, reason: 'organization_unverified' },
  )
}

/** What these arguments need beyond the family and the scopes of the operation. */
export const requirementsOf = (
  { bodyRequires, queryRequires }: Operation,
  { body, query }: { body: unknown; query: unknown },
): readonly Requirement[] => [
  ...(bodyRequires?.appliesTo(body) === true ? [bodyRequires] : []),
  ...(queryRequires?.appliesTo(query) === true ? [queryRequires] : []),
]
