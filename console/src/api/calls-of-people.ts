/** Which calls no key can make, whatever its scopes; a test compares them with the operations. */

const patterns = [
  /^\w+ \/auth\//,
  /^\w+ \/v1\/(approval_rules|audit|invitations|members|preferences|requests|sandboxes|saved_views)\b/,
  /^(POST|PATCH|DELETE) \/v1\/(approvals|connections|keys|organization)\b/,
  /^GET \/v1\/statistics\?.*\bmetric=requests\b/,
]

export const needsSession = ({ method = 'GET', url }: { method?: string; url: string }): boolean =>
  patterns.some((pattern) => pattern.test(`${method} ${url}`))
