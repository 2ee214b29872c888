/**
 * Which folder may import which (ARCHITECTURE.md draws the same). `values` may be imported freely,
 * `types` only as types, `modules` are the built-in modules and packages a folder may use.
 */
const pure = ['node:crypto', 'node:assert/strict']
const verifier = '^verifier/verify-bundle\\.mjs$'
const files = ['node:fs', 'node:fs/promises', 'node:path']

const boundaries = {
  contract: { values: [], types: [], modules: ['typebox'] },
  core: {
    values: ['contract', verifier],
    types: ['database/rows'],
    modules: [
      ...pure,
      'node:zlib',
      'node:buffer',
      'ipaddr.js',
      'lz4-napi',
      'otplib',
      'saxes',
      'structured-headers',
    ],
  },
  database: {
    values: ['contract', 'core'],
    types: [],
    modules: [...pure, 'pg', 'node:net', 'node:fs/promises', 'node:timers/promises'],
  },
  store: { values: ['database', 'core', 'contract'], types: ['telemetry'], modules: pure },
  engine: { values: ['store', 'database', 'core', 'contract'], types: [], modules: pure },
  changes: {
    values: ['store', 'database', 'core', 'contract', verifier],
    types: ['engine', 'notary', 'telemetry'],
    modules: [...pure, 'node:util', '@simplewebauthn/server'],
  },
  operations: {
    values: [
      'changes',
      'store',
      'docs',
      'core',
      'contract',
      verifier,
      'database/database-clock',
      'database/fair-queue',
      'database/in-turns',
      'engine/idempotency',
      'webhook-delivery',
    ],
    types: ['engine', 'context', 'database', 'outbound', 'oidc', 'threads'],
    modules: [
      'typebox',
      'node:crypto',
      'negotiator',
      'node:stream/consumers',
      'node:util',
      'node:zlib',
    ],
  },
  tasks: {
    values: ['changes', 'store', 'database', 'core', 'contract'],
    types: ['context', 'engine', 'mail', 'notary', 'rails'],
    modules: [],
  },
  'webhook-delivery': {
    values: ['changes', 'store', 'database', 'core', 'contract'],
    types: ['context', 'outbound'],
    modules: [],
  },
  rails: { values: ['core', 'contract'], types: ['store', 'outbound'], modules: ['stripe'] },
  outbound: {
    values: ['core', 'contract'],
    types: [],
    modules: ['node:dns/promises', 'node:http', 'node:https', 'node:net', 'node:os', 'node:tls'],
  },
  mail: { values: ['core', 'contract'], types: ['startup/smtp-setting'], modules: ['nodemailer'] },
  oidc: {
    values: ['core', 'contract'],
    types: ['outbound', 'startup/oidc-setting'],
    modules: ['openid-client'],
  },
  files: {
    values: ['contract'],
    types: ['config'],
    modules: [...files, 'node:stream', '@aws-sdk/client-s3'],
  },
  pdf: {
    values: ['core', 'contract', 'database/fair-queue', 'threads/threads'],
    types: [],
    modules: ['pdfkit', 'node:crypto', 'node:fs', 'node:os', 'node:worker_threads', 'node:zlib'],
  },
  threads: {
    values: ['database/fair-queue', 'contract', verifier],
    types: [],
    modules: ['node:worker_threads'],
  },
  docs: {
    values: ['core', 'contract'],
    types: ['operations', 'config'],
    modules: ['typebox', 'yaml', 'node:crypto', 'node:fs'],
  },
  mcp: {
    values: ['docs', 'operations/required-authority', 'context', 'core', 'contract'],
    types: ['operations', 'config'],
    modules: ['@modelcontextprotocol/server', 'node:crypto'],
  },
  http: {
    values: [
      'operations',
      'mcp',
      'engine',
      'docs',
      'store',
      'database',
      'core',
      'contract',
      'context',
      'files/file-store',
      'notary/log-folder',
    ],
    types: ['config', 'telemetry'],
    modules: [
      'node:buffer',
      'fastify',
      'ajv',
      'typebox',
      '@fastify/busboy',
      'toad-cache',
      'negotiator',
      'node:zlib',
      'content-disposition',
      'node:events',
      'node:http',
      'node:net',
      'node:crypto',
      ...files,
      'node:stream',
      'node:stream/promises',
    ],
  },
}

const pattern = (place) => (place.startsWith('^') ? place : `^src/${place}(/|\\.ts$)`)
const modulePattern = (name) =>
  name.startsWith('node:') ? `^${name.slice(5)}$` : `^node_modules/(@types/)?${name}/`

const boundaryRules = Object.entries(boundaries).flatMap(([folder, { values, types, modules }]) => {
  const from = { path: `^src/${folder}/` }
  const allowed = [folder, ...values].map(pattern)
  const allowedModules = modules.map(modulePattern)
  const own = '^(src|verifier)/'
  return [
    {
      name: `${folder}-imports`,
      severity: 'error',
      from,
      to: { path: own, pathNot: allowed, dependencyTypesNot: ['type-only'] },
    },
    {
      name: `${folder}-imports-types`,
      severity: 'error',
      from,
      to: { path: own, pathNot: [...allowed, ...types.map(pattern)] },
    },
    {
      name: `${folder}-modules`,
      severity: 'error',
      from,
      to: { pathNot: [own, ...allowedModules], dependencyTypesNot: ['type-only'] },
    },
  ]
})

export { boundaries }

export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circular-types',
      severity: 'error',
      // A connection has seals, and renewing them takes a connection. The SDK has such pairs, too.
      from: { pathNot: '^(sdk/|src/database/(row-seals|sql)\\.ts$)' },
      to: { circular: true },
    },
    {
      name: 'no-dead-file',
      severity: 'error',
      from: { path: '^(src/main|scripts/[^/]+|bench/[^/]+)\\.ts$' },
      // Threads of their own run the workers.
      to: {
        path: '^src/',
        pathNot: '^src/(main|pdf/worker|threads/proof-worker)\\.ts$',
        reachable: false,
      },
    },
    {
      name: 'only-database-speaks-pg',
      severity: 'error',
      from: {
        path: '^(src|scripts|bench)/',
        pathNot: ['^src/database/', '^src/embedded-postgres/bootstrap\\.ts$'],
      },
      to: { path: '^node_modules/pg/', dependencyTypesNot: ['type-only'] },
    },
    ...boundaryRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    detectJSDocImports: false,
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default', 'types'],
    },
  },
}
