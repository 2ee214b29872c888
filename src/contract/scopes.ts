/** Scopes (specification 5.5) and what each requires of the caller's organization. */
export const scopes = {
  'documents:write': {
    allows: 'create, edit (drafts), issue and transition documents',
    reveals:
      'what it changes, whole: each document with its payment, attachments and comments, connections, listings, offers and agreements of the finance family; in a sandbox also its clock, the payment that is simulated and the balance that a top-up leaves',
  },
  'documents:read': {
    allows: 'documents family reads',
    reveals:
      'documents with their balance, payment and dispute, attachments, connections and the names of counterparties, listings, offers and agreements of the finance family, and in `GET /v1/events` also the events of payments; of the own organization its profile with tax numbers and bank account, the comments on documents with the names of their authors, and statistics of documents',
  },
  'payments:read': {
    allows: 'payments family reads',
    reveals:
      'every payment with its amount, document, settlement reference and failure, and the organization’s own account in it; in `payments.csv` also the number of the document and the name of the other party',
  },
  'payments:write': {
    allows:
      "execute a document's payment (simulated in sandbox, live once the processor is connected)",
    reveals: 'nothing of its own',
  },
  'treasury:read': {
    allows: 'treasury family reads (verified organizations only)',
    reveals:
      'accounts, balances now and in the past, and every transaction of them; in statements also the number of its document and the name of the other party',
    needs: 'verified',
  },
  'provenance:read': {
    allows: 'verified history, lineage, export bundle',
    reveals:
      'who did what and when, with the ids of keys and users; an export holds the whole content of a document, without documents:read',
  },
  'keys:manage': {
    allows: 'key management (admin scope)',
    reveals:
      'names, prefixes, scopes, address ranges and limits of all keys, with payments:read also what they have paid today, never a secret',
  },
  'webhooks:manage': {
    allows: 'create, change and delete webhook endpoints, and redeliver',
    reveals:
      'every event, which its endpoints receive, and the URLs, signing secrets and deliveries of all endpoints',
    isOptional: true,
    requires: ['documents:read', 'payments:read'],
  },
} as const satisfies Record<
  string,
  {
    allows: string
    /** All that a key with it may read by it. */
    reveals: string
    needs?: 'verified'
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
    const { requires = [] }: { reveals: string; requires?: readonly Scope[] } = scopes[scope]
    return requires.filter((one) => !granted.includes(one))
  })

/** Scopes are intersected with the organization's capabilities on every call (5.6). */
export const effectiveScopes = (granted: readonly Scope[], isVerified: boolean): Scope[] =>
  granted.filter((scope) => isVerified || !('needs' in scopes[scope]))
