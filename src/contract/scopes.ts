/**
 * What a caller may be allowed to do (specification 5.5), and what its organization must have for
 * it.
 */
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
} as const satisfies Record<string, { allows: string; needs?: 'verified'; grantedTo?: 'admin' }>

export type Scope = keyof typeof scopes

export const scopeNames = Object.keys(scopes) as readonly Scope[]

/** What a signed-in user may do: all that a key may, key management only as an owner or admin. */
export const scopesOfRole = (role: string): readonly Scope[] =>
  scopeNames.filter((scope) => role !== 'member' || !('grantedTo' in scopes[scope]))

/** A scope never exceeds what the organization has: the two are intersected on every call (5.6). */
export const effectiveScopes = (granted: readonly Scope[], isVerified: boolean): Scope[] =>
  granted.filter((scope) => isVerified || !('needs' in scopes[scope]))
