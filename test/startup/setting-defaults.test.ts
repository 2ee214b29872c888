/** What each setting is when it is absent (contract 10, 11), and that the docs list them all. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { familyNames } from '../../src/contract/families.ts'
import type { Environment } from '../../src/startup/setting.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

test('contract 10: without settings, the service runs with the defaults of the contract', () => {
  const config = readConfig({})
  const { port, host, baseUrl, databaseUrl, dataDir, role, families } = config
  assert.deepEqual(
    { port, host, baseUrl, databaseUrl, dataDir, role },
    {
      port: 8080,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:8080',
      databaseUrl: undefined,
      dataDir: '.data',
      role: 'all',
    },
  )
  assert.deepEqual([...families], familyNames)
  assert.deepEqual(config.webhooks.retryDelaysMs, [
    minuteMs,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    8 * hourMs,
  ])
  const { keyRotationGraceMs, idempotencyRetentionMs, sandboxStepMs, trustedProxies } = config
  assert.deepEqual(
    [keyRotationGraceMs, idempotencyRetentionMs, config.webhooks.secretOverlapMs],
    [24 * hourMs, 24 * hourMs, 24 * hourMs],
  )
  assert.equal(sandboxStepMs, 3 * secondMs)
  assert.deepEqual(trustedProxies, [])
  assert.deepEqual(
    [config.s3, config.stripe, config.metricsPort],
    [undefined, undefined, undefined],
  )
})

test('contract 1 and 12: without settings, a key has 100 calls a second and an organization 300', () => {
  const limitsOf = (settings: Environment) => {
    const { enforced, policies, organizationPolicies } = readConfig(settings).rateLimits
    return [enforced, ...[...policies, ...organizationPolicies].map(({ limit }) => limit)]
  }
  assert.deepEqual(limitsOf({}), [true, 100, 3_000, 300, 9_000])
  assert.deepEqual(limitsOf({ RATE_LIMITS: 'off' }), [false, 100, 3_000, 300, 9_000])
  assert.deepEqual(limitsOf({ RATE_LIMITS: 'sec=5,org_min=60' }), [true, 5, 3_000, 15, 60])
})

test('contract 11: without settings, a sandbox has the quotas of the contract', () => {
  const defaults = {
    documents_per_day: 5_000,
    stored_documents: 20_000,
    payments_per_day: 5_000,
    open_listings: 50,
    webhook_endpoints: 10,
    active_keys: 100,
    sandboxes: 20,
  }
  assert.deepEqual(readConfig({}).quotas.test, defaults)
  for (const name of Object.keys(defaults)) {
    const { quotas } = readConfig({ [`QUOTA_${name.toUpperCase()}`]: '7' })
    assert.deepEqual(quotas.test, { ...defaults, [name]: 7 })
  }
  assert.deepEqual(readConfig({ SANDBOX_QUOTAS: 'off' }).quotas.test, { webhook_endpoints: 10 })
})

test('contract 10: a duration is a number with ms, s, m, h or d, SANDBOX_STEP_MS too', () => {
  const cases = { '500ms': 500, '90s': 90 * secondMs, '24h': 24 * hourMs, '2d': 48 * hourMs }
  for (const [value, ms] of Object.entries(cases)) {
    assert.equal(readConfig({ SANDBOX_STEP_MS: value }).sandboxStepMs, ms)
    assert.equal(readConfig({ IDEMPOTENCY_RETENTION: value }).idempotencyRetentionMs, ms)
  }
})

test('contract 10: docs/operating lists every setting that is read, and no other', () => {
  const read = new Set<string>()
  const recorderOf = (settings: Record<string, string>): Environment =>
    new Proxy(settings, {
      get: (target, name: string) => {
        read.add(name)
        return target[name]
      },
    })
  readConfig(
    recorderOf({
      S3_ENDPOINT: 'https://store.example',
      S3_BUCKET: 'exchange',
      STRIPE_SECRET_KEY: 'sk_test_one',
      STRIPE_WEBHOOK_SECRET: 'whsec_one',
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'one',
    }),
  )
  const page = new URL('../../docs/operating/settings.md', import.meta.url)
  const [, ...tables] = readFileSync(page, 'utf8').split('| setting | default | meaning |\n')
  const rows = tables.flatMap((table) => table.split('\n\n')[0]!.trim().split('\n'))
  const listed = rows.flatMap((row) => row.split('|')[1]!.match(/[A-Z][A-Z\d_]+/g) ?? [])
  assert.deepEqual(listed.toSorted(), [...read].toSorted())
})
