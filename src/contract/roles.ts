/** What a member of an organization may do (contract 12). */
import { roleNames } from './role-names.ts'
import { type Scope, defaultScopes, scopeNames } from './scopes.ts'

const reading = ['documents:read', 'payments:read', 'treasury:read', 'provenance:read'] as const

interface Rights {
  scopes: readonly Scope[]
  /** May do what the operations call "admin": keys, connections, endpoints, members. */
  isAdmin: boolean
  /** May decide on approvals. */
  mayApprove?: true
  allows: string
}

export const roles = {
  owner: {
    scopes: scopeNames,
    isAdmin: true,
    mayApprove: true,
    allows: 'everything; only owners make and remove owners',
  },
  admin: {
    scopes: scopeNames,
    isAdmin: true,
    mayApprove: true,
    allows: 'everything but changes of owners',
  },
  developer: {
    scopes: ['documents:read', 'documents:write', 'payments:read', 'provenance:read'],
    isAdmin: false,
    allows: 'documents and proofs, without payments',
  },
  finance: {
    scopes: [...reading, 'documents:write', 'payments:write'],
    isAdmin: false,
    allows: 'documents, payments and treasury',
  },
  approver: {
    scopes: reading,
    isAdmin: false,
    mayApprove: true,
    allows: 'reading, and the decision of approvals',
  },
  viewer: { scopes: reading, isAdmin: false, allows: 'reading' },
  member: {
    scopes: defaultScopes.filter((scope) => scope !== 'keys:manage'),
    isAdmin: false,
    allows: 'what developer and finance may do together',
  },
} as const satisfies Record<(typeof roleNames)[number], Rights>

export type Role = keyof typeof roles

export const mayApprove = (role: Role): boolean => 'mayApprove' in roles[role]

export const approvingRoles = roleNames.filter(mayApprove)

export const isAdminRole = (role: Role): boolean => roles[role].isAdmin

/** Only an owner may make owners; undefined takes a role from somebody who is no owner. */
export const mayGiveRole = (own: Role | undefined, role: Role | undefined): boolean =>
  own === 'owner' || (own !== undefined && isAdminRole(own) && role !== 'owner')

export const scopesOfRole = (role: Role): readonly Scope[] => roles[role].scopes

export const rolesWithScope = (scope: Scope): readonly Role[] =>
  roleNames.filter((role) => scopesOfRole(role).includes(scope))
