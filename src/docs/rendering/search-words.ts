/**
 * What newcomers call things that the docs call otherwise: words of other services, and of other
 * texts on the same subject. Each finds its section first, also while it is typed.
 */
export const searchWords: Readonly<Record<string, readonly string[]>> = {
  drafts: ['delete document', 'delete invoice', 'edit invoice', 'void'],
  conversion: ['refund', 'partial delivery', 'correct an invoice'],
  money: ['cents', 'minor units', 'rounding', 'decimals', 'VAT', 'tax'],
  conventions: ['time zone', 'timestamps', 'metadata', 'custom fields', 'optimistic locking'],
  authentication: ['bearer token', 'oauth', 'permissions', 'ip whitelist', 'allowlist', 'cors'],
  'members-and-roles': ['users', 'team', 'invite user'],
  'signing-in': ['login', 'password reset', 'sso', 'single sign-on', 'oidc'],
  'second-factors': ['2fa', 'mfa', 'two factor', 'authenticator'],
  'document-types': ['status', 'lifecycle', 'state machine'],
  paying: ['partial payment', 'bank account', 'direct debit', 'payout', 'chargeback', 'stripe'],
  loans: ['factoring', 'invoice financing'],
  practice: ['test mode', 'test data', 'reset'],
  'magic-accounts': ['test cards', 'test bank account', 'simulate a payment'],
  'going-live': ['go live', 'production', 'live mode', 'live key'],
  exports: ['download pdf', 'e-invoice', 'xrechnung', 'zugferd', 'peppol'],
  imports: ['upload invoice'],
  libraries: ['sdk', 'npm', 'pip', 'install', 'java', 'php', 'c#'],
  idempotency: ['retry', 'retries', 'duplicate request'],
  pagination: ['cursor', 'polling', 'sync', 'page size'],
  limits: ['timeout', 'file size', 'max length'],
  'rate-limits': ['rate limit', 'throttling', 'too many requests'],
  mcp: ['ai agent', 'llm', 'claude', 'chatgpt'],
  webhooks: ['callback', 'localhost webhook', 'ngrok'],
  'webhooks-delivery': ['replay webhook', 'resend webhook', 'webhook retries'],
  verification: ['webhook secret', 'hmac'],
  'catching-up': ['ordering of events', 'event order', 'missed events', 'missed webhook', 'outage'],
  provenance: ['audit trail', 'tamper', 'gdpr', 'erasure'],
  versioning: ['breaking changes', 'deprecation', 'api version'],
}
