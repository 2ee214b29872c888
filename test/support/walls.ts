/** Which folder may use what: architecture 2, drawn in ARCHITECTURE.md, held by tidy.test.ts. */

export interface Wall {
  /** Folders and files below src whose values may be used. */
  values: readonly string[]
  /** Of these only types. */
  types?: readonly string[]
  /** Modules of Node and packages. */
  modules?: readonly string[]
}

const pure = ['node:crypto', 'node:assert/strict']
export const walls: Record<string, Wall> = {
  contract: { values: [], modules: ['typebox'] },
  core: { values: ['contract'], modules: ['node:crypto', 'node:zlib', 'node:buffer'] },
  store: { values: ['sql.ts', 'contract'], types: ['log.ts', 'core'] },
  engine: { values: ['store', 'core', 'contract', 'sql.ts', 'randomness.ts'], modules: pure },
  changes: {
    values: ['store', 'core', 'contract', 'randomness.ts', 'passwords.ts'],
    types: ['sql.ts', 'engine/world.ts'],
    modules: pure,
  },
  operations: {
    values: ['changes', 'store', 'core', 'contract', 'engine/idempotency.ts', 'docs'],
    types: ['engine', 'context.ts', 'sql.ts'],
    modules: ['typebox', 'node:crypto'],
  },
  tasks: {
    values: ['changes', 'store', 'core', 'contract', 'randomness.ts'],
    types: ['context.ts'],
  },
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
    modules: ['typebox', 'node:crypto'],
  },
  http: {
    values: [
      ...['operations', 'engine', 'docs', 'store', 'core', 'contract'],
      ...['sql.ts', 'randomness.ts', 'context.ts', 'postgres/migrate.ts', 'files/unavailable.ts'],
    ],
    types: ['config.ts'],
    modules: [
      ...['fastify', 'ajv/dist/2020.js', 'typebox', '@fastify/busboy', 'node:http', 'node:net'],
      ...['node:crypto', 'node:fs', 'node:fs/promises', 'node:path', 'node:stream'],
      'node:stream/promises',
    ],
  },
}
