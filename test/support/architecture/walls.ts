/** Which folder may use which: drawn in ARCHITECTURE.md, held by architecture/style.test.ts. */

export interface Wall {
  /** Folders and files below src whose values may be used. */
  values: readonly string[]
  /** Folders and files of which only types may be used. */
  types?: readonly string[]
  /** Modules of Node and packages. */
  modules?: readonly string[]
}

const pure = ['node:crypto', 'node:assert/strict']
const verifier = 'verifier/verify-bundle.mjs'

export const walls: Record<string, Wall> = {
  contract: { values: [], modules: ['typebox'] },
  core: {
    values: ['contract'],
    types: ['database/rows.ts'],
    modules: [...pure, verifier, 'node:zlib', 'node:buffer'],
  },
  database: {
    values: ['contract', 'core'],
    modules: [...pure, 'pg', 'node:net', 'node:fs/promises', 'node:timers/promises'],
  },
  store: { values: ['database', 'contract', 'core'], types: ['telemetry'], modules: pure },
  engine: { values: ['store', 'database', 'core', 'contract'], modules: pure },
  changes: {
    values: ['store', 'database', 'core', 'contract'],
    types: ['engine', 'notary'],
    modules: [...pure, 'node:util', verifier],
  },
  operations: {
    values: [
      ...['changes', 'store', 'core', 'contract', 'docs'],
      ...['engine/idempotency.ts', 'webhook-delivery/attempt.ts'],
    ],
    types: ['engine', 'context.ts', 'database'],
    modules: ['typebox', 'node:crypto', verifier],
  },
  tasks: {
    values: ['changes', 'store', 'database', 'core', 'contract'],
    types: ['context.ts', 'engine', 'rails'],
  },
  'webhook-delivery': {
    values: ['changes', 'store', 'database', 'core', 'contract'],
    types: ['context.ts', 'outbound'],
  },
  rails: { values: ['core', 'contract'], types: ['store', 'outbound'], modules: ['stripe'] },
  files: {
    values: ['contract'],
    types: ['config.ts'],
    modules: [
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:stream',
      'node:stream/web',
      'aws4fetch',
    ],
  },
  docs: {
    values: ['core', 'contract'],
    types: ['operations', 'config.ts'],
    modules: ['typebox', 'node:crypto', 'node:fs'],
  },
  http: {
    values: [
      ...['operations', 'engine', 'docs', 'store', 'database', 'core', 'contract'],
      ...['context.ts', 'files/unavailable.ts'],
    ],
    types: ['config.ts'],
    modules: [
      ...['fastify', 'ajv/dist/2020.js', 'typebox', '@fastify/busboy', 'node:http', 'node:net'],
      ...['node:crypto', 'node:fs', 'node:fs/promises', 'node:path', 'node:stream'],
      'node:stream/promises',
    ],
  },
}
