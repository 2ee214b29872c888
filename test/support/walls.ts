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
const verifier = 'verifier/verify-bundle.mjs'

export const walls: Record<string, Wall> = {
  contract: { values: [], modules: ['typebox'] },
  core: { values: ['contract'], modules: [...pure, verifier, 'node:zlib', 'node:buffer'] },
  store: {
    values: ['sql.ts', 'contract', 'core'],
    types: ['log.ts', 'database.ts'],
    modules: pure,
  },
  engine: {
    values: ['store', 'core', 'contract', 'sql.ts', 'randomness.ts'],
    types: ['database.ts'],
    modules: pure,
  },
  changes: {
    values: ['store', 'core', 'contract', 'randomness.ts', 'passwords.ts'],
    types: ['sql.ts', 'database.ts', 'engine/world.ts', 'engine/member.ts', 'notary.ts'],
    modules: [...pure, verifier],
  },
  operations: {
    values: [
      ...['changes', 'store', 'core', 'contract', 'docs'],
      ...['engine/idempotency.ts', 'delivery.ts'],
    ],
    types: ['engine', 'context.ts', 'sql.ts'],
    modules: ['typebox', 'node:crypto', verifier],
  },
  tasks: {
    values: ['changes', 'store', 'core', 'contract', 'delivery.ts', 'randomness.ts', 'sql.ts'],
    types: ['context.ts', 'outbound.ts', 'engine', 'rails'],
  },
  rails: { values: ['core', 'contract'], types: ['store', 'outbound.ts'], modules: ['stripe'] },
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
