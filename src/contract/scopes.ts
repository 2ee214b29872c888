/** Scopes (specification 5.5) and what each requires of the caller's organization. */
export const scopes = {
  'documents:write': { allows: 'create, edit (drafts), issue and transition documents' },
  'documents:read': { allows: 'documents family reads' },
  'payments:read': { allows: 'payments family reads' },
  'payments:write': {
    allows:
      "execute a document's payment (simulated in sandbox, live once the processor is connected)",
  },
  'treasury:read': {
    allows: 'treasury family reads (verified organizations only)',
    needs: 'verified',
  },
  'provenance:read': { allows: 'verified history, lineage, export bundle' },
  'keys:manage': { allows: 'key management (admin scope)', grantedTo: 'admin' },
  'webhooks:manage': {
    allows: 'webhook endpoints and their deliveries, which receive what the other two show',
    grantedTo: 'admin',
    isOptional: true,
    requires: ['documents:read', 'payments:read'],
  },
} as const satisfies Record<
  string,
  {
    allows: string
    needs?: 'verified'
    grantedTo?: 'admin'
    /** In no set of scopes that is granted without naming it. */
    isOptional?: true
    /** What a key must hold beside it. */
    requires?: readonly string[]
  }
>

export type Scope = keyof typeof scopes

export const scopeNames = Object.keys(scopes) as readonly Scope[]

/** The scopes of a key that may do all that is usual. */
export const defaultScopes = scopeNames.filter((scope) => !('isOptional' in scopes[scope]))

/** The scopes that these need beside them. */
export const missingScopes = (granted: readonly Scope[]): Scope[] =>
  granted.flatMap((scope) => {
    const { requires = [] }: { allows: string; requires?: readonly Scope[] } = scopes[scope]
    return requires.filter((one) => !granted.includes(one))
  })

/** The scopes of a signed-in user: all scopes, but key management only for owners and admins. */
export const scopesOfRole = (role: string): readonly Scope[] =>
  scopeNames.filter((scope) => role !== 'member' || !('grantedTo' in scopes[scope]))

/** Scopes are intersected with the organization's capabilities on every call (5.6). */
export const effectiveScopes = (granted: readonly Scope[], isVerified: boolean): Scope[] =>
  granted.filter((scope) => isVerified || !('needs' in scopes[scope]))
