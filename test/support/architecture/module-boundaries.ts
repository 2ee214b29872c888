/** Which folder may use which: drawn in ARCHITECTURE.md, held by architecture/style.test.ts. */

export interface ModuleBoundary {
  /** Folders and files below src whose values may be used. */
  valuesFrom: readonly string[]
  /** Folders and files of which only types may be used. */
  typesFrom?: readonly string[]
  /** Modules of Node and packages. */
  modules?: readonly string[]
}

const pure = ['node:crypto', 'node:assert/strict']
const verifier = 'verifier/verify-bundle.mjs'

export const moduleBoundaries: Record<string, ModuleBoundary> = {
  contract: { valuesFrom: [], modules: ['typebox'] },
  core: {
    valuesFrom: ['contract'],
    typesFrom: ['database/rows.ts'],
    modules: [...pure, verifier, 'node:zlib', 'node:buffer'],
  },
  database: {
    valuesFrom: ['contract', 'core'],
    modules: [...pure, 'pg', 'node:net', 'node:fs/promises', 'node:timers/promises'],
  },
  store: { valuesFrom: ['database', 'contract', 'core'], typesFrom: ['telemetry'], modules: pure },
  engine: { valuesFrom: ['store', 'database', 'core', 'contract'], modules: pure },
  changes: {
    valuesFrom: ['store', 'database', 'core', 'contract'],
    typesFrom: ['engine', 'notary'],
    modules: [...pure, 'node:util', verifier],
  },
  operations: {
    valuesFrom: [
      ...['changes', 'store', 'core', 'contract', 'docs'],
      ...['engine/idempotency.ts', 'webhook-delivery/attempt.ts'],
    ],
    typesFrom: ['engine', 'context.ts', 'database'],
    modules: ['typebox', 'node:crypto', verifier],
  },
  tasks: {
    valuesFrom: ['changes', 'store', 'database', 'core', 'contract'],
    typesFrom: ['context.ts', 'engine', 'rails'],
  },
  'webhook-delivery': {
    valuesFrom: ['changes', 'store', 'database', 'core', 'contract'],
    typesFrom: ['context.ts', 'outbound'],
  },
  rails: {
    valuesFrom: ['core', 'contract'],
    typesFrom: ['store', 'outbound'],
    modules: ['stripe'],
  },
  files: {
    valuesFrom: ['contract'],
    typesFrom: ['config.ts'],
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
    valuesFrom: ['core', 'contract'],
    typesFrom: ['operations', 'config.ts'],
    modules: ['typebox', 'node:crypto', 'node:fs'],
  },
  http: {
    valuesFrom: [
      ...['operations', 'engine', 'docs', 'store', 'database', 'core', 'contract'],
      ...['context.ts', 'files/unavailable.ts'],
    ],
    typesFrom: ['config.ts'],
    modules: [
      ...['fastify', 'ajv/dist/2020.js', 'typebox', '@fastify/busboy', 'node:http', 'node:net'],
      ...['node:crypto', 'node:fs', 'node:fs/promises', 'node:path', 'node:stream'],
      'node:stream/promises',
    ],
  },
}
