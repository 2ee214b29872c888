/**
 * Reads the environment into one frozen Config (contract 10); nothing else reads process.env. A
 * wrong setting stops the start with one line that names the setting, its value and what is valid.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reach } from './core/webhooks/endpoint-url.ts'
import { type Cidr, isLoopback } from './core/identity/ip-addresses.ts'
import { closestMatch } from './core/did-you-mean.ts'
import { type Family, familyNames } from './contract/families.ts'
import { type QuotaName, type Quotas, quotaDefinitions, quotaNames } from './contract/quotas.ts'
import { type RateLimitSettings, rateLimitsOf } from './startup/rate-limit-setting.ts'
import {
  type Environment,
  SettingError,
  durationOf,
  lastingDurationOf,
  oneOf,
  portOf,
  booleanOf,
} from './startup/setting.ts'
import { retryDelaysOf, webhookReachOf } from './startup/webhook-settings.ts'
import { serverKeysOf } from './startup/server-key-setting.ts'
import { type MagicLink, magicLinkOf } from './startup/dev-mail-setting.ts'
import { type OidcProvider, oidcProvidersOf } from './startup/oidc-setting.ts'
import { type SmtpSettings, smtpOf } from './startup/smtp-setting.ts'
import { trustedProxiesOf } from './startup/trusted-proxies-setting.ts'
import { type WitnessSettings, witnessesOf } from './startup/witness-setting.ts'

export interface S3Config {
  /** Without a trailing slash. */
  endpoint: string
  bucket: string
  region: string
  /** Undefined: the AWS SDK finds the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

export interface Config {
  port: number
  host: string
  baseUrl: string
  /** Undefined: the service runs an embedded PostgreSQL in dataDir. */
  databaseUrl: string | undefined
  dataDir: string
  role: 'api' | 'worker' | 'all'
  families: ReadonlySet<Family>
  rateLimits: RateLimitSettings
  trustedProxies: readonly Cidr[]
  keyRotationGraceMs: number
  idempotencyRetentionMs: number
  webhooks: {
    /** What the receivers of sandbox organizations may be. */
    reach: Reach
    retryDelaysMs: readonly number[]
    /** How long the previous secret still signs after a rotation. */
    secretOverlapMs: number
  }
  /** Any text of the operator's, such as base64; when absent, a key is created in dataDir. */
  serverKey: string | undefined
  /** The server key before it, until `rekey --finish`. */
  previousServerKey: string | undefined
  /** Prefix of the log names: `<origin>/live/1`. Fixed once the keys are created. */
  provenanceOrigin: string
  /** Holds the logs' signing keys and last checkpoints; all processes share it. */
  provenanceKeysDir: string
  /** They cosign the checkpoints of the logs. */
  witnessing: WitnessSettings
  /** A folder outside of dataDir that remembers what the database contained; or 'off'. */
  rollbackGuardDir: string | undefined
  /** The fingerprint of what a restored database may lack. */
  acceptRollback: string | undefined
  hasPracticeOrganizations: boolean
  /** The payment processor of live organizations, if any. */
  stripe: { secretKey: string; webhookSecret: string; apiBase: string; reach: Reach } | undefined
  /** Sends notices by e-mail; undefined = nothing is sent. */
  smtp: SmtpSettings | undefined
  /** How a sign-in link that somebody asks for reaches them. */
  magicLink: MagicLink
  /** Where people may sign in as well. */
  oidcProviders: readonly OidcProvider[]
  /** How long the sandbox's simulated organizations take for a step. */
  sandboxStepMs: number
  /** By the mode of the organization. */
  quotas: Readonly<Record<'live' | 'test', Quotas>>
  /** Logs every call, not only failures. */
  logsCalls: boolean
  /** A collector of OpenTelemetry metrics and traces, over OTLP/HTTP. */
  otlpEndpoint: string | undefined
  /** The port of /metrics, and also of /healthz and /readyz; undefined = the service's own. */
  metricsPort: number | undefined
  /** Where attachments are stored; undefined = below dataDir. */
  s3: S3Config | undefined
  /** The build of the console. */
  consoleDir: string
}

const defaultHost = '127.0.0.1'
const builtConsole = fileURLToPath(new URL('../console/dist', import.meta.url))

export const readConfig = (env: Environment = process.env): Config => {
  const port = portOf(env, 'PORT') ?? 8080
  const databaseUrl = env['DATABASE_URL'] || undefined
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new SettingError('DATABASE_URL', '…', 'a URL that starts with postgresql://')
  }
  return Object.freeze({
    port,
    host: env['HOST'] || defaultHost,
    baseUrl: baseUrlOf(env, port),
    databaseUrl,
    dataDir: env['DATA_DIR'] || '.data',
    role: oneOf(env, 'PROCESS_ROLE', ['api', 'worker', 'all'] as const, 'all'),
    families: familiesOf(env),
    rateLimits: rateLimitsOf(env),
    trustedProxies: trustedProxiesOf(env),
    keyRotationGraceMs: durationOf(env, 'KEY_ROTATION_GRACE', '24h'),
    idempotencyRetentionMs: lastingDurationOf(env, 'IDEMPOTENCY_RETENTION', '24h'),
    webhooks: {
      reach: webhookReachOf(env, baseUrlOf(env, port)),
      retryDelaysMs: retryDelaysOf(env),
      secretOverlapMs: durationOf(env, 'SECRET_ROTATION_WINDOW', '24h'),
    },
    ...serverKeysOf(env, databaseUrl !== undefined),
    provenanceOrigin: provenanceOriginOf(env, baseUrlOf(env, port)),
    provenanceKeysDir: env['PROVENANCE_KEYS_DIR'] || join(env['DATA_DIR'] || '.data', 'provenance'),
    witnessing: witnessesOf(env),
    rollbackGuardDir: env['ROLLBACK_GUARD_DIR'] || undefined,
    acceptRollback: env['ACCEPT_ROLLBACK'] || undefined,
    hasPracticeOrganizations: booleanOf(env, 'PRACTICE_ORGANIZATIONS', '1'),
    stripe: stripeOf(env),
    smtp: smtpOf(env),
    magicLink: magicLinkOf(env, baseUrlOf(env, port)),
    oidcProviders: oidcProvidersOf(env),
    sandboxStepMs: durationOf(env, 'SANDBOX_STEP_MS', '3s'),
    quotas: quotasOf(env),
    logsCalls: booleanOf(env, 'LOG_CALLS'),
    otlpEndpoint: otlpEndpointOf(env),
    metricsPort: metricsPortOf(env, port),
    s3: s3Of(env),
    consoleDir: env['CONSOLE_DIR'] || builtConsole,
  })
}

/**
 * Variables that resemble a setting. Considers only names with an underscore, because short ones
 * such as HOSTS often belong to other programs.
 */
export const misspelledSettings = (
  env: Environment = process.env,
): { name: string; meant: string }[] => {
  const settings = new Set<string>()
  const recorder = new Proxy(env, {
    get: (target, name: string) => {
      settings.add(name)
      return target[name]
    },
  })
  readConfig(recorder)
  return Object.keys(env).flatMap((name) => {
    const meant =
      settings.has(name) || !name.includes('_') ? undefined : closestMatch(name, settings)
    return meant === undefined || !meant.includes('_') ? [] : [{ name, meant }]
  })
}

/** The port that exporters for Prometheus commonly use. */
const defaultMetricsPort = 9464

/** Metrics name operations and their load, so strangers who reach the API must not read them. */
const metricsPortOf = (env: Environment, port: number): number | undefined => {
  const isReached = !isLoopback(env['HOST'] || defaultHost) && env['PROCESS_ROLE'] !== 'worker'
  const fallback = port === 0 ? 0 : defaultMetricsPort
  const metricsPort = portOf(env, 'METRICS_PORT') ?? (isReached ? fallback : undefined)
  if (metricsPort !== port || port === 0) return metricsPort
  throw new SettingError('METRICS_PORT', String(port), 'a port other than PORT')
}

const otlpEndpointOf = (env: Environment): string | undefined => {
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const value = env[name] || ''
  if (value === '') return undefined
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return value.replace(/\/+$/, '')
  throw new SettingError(name, value, 'the URL of a collector, such as http://localhost:4318')
}

const baseUrlOf = (env: Environment, port: number): string => {
  const value = env['BASE_URL'] || `http://localhost:${port}`
  if (!/^https?:\/\/[^/\\?#@\s"<>]+\/?$/.test(value) || !URL.canParse(value)) {
    const accepted = 'a URL such as https://api.example.com, a host of its own without a path'
    throw new SettingError('BASE_URL', value, accepted)
  }
  // Headers are ASCII. What is ASCII stays as it is, since identity providers compare it.
  return /[^ -~]/.test(value) ? new URL(value).origin : value.replace(/\/$/, '')
}

/** The endpoint and the bucket are set together, and so are the two keys, if any. */
const s3Of = (env: Environment): S3Config | undefined => {
  const endpoint = env['S3_ENDPOINT'] || ''
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = env
  if (endpoint === '') {
    const other = besideEndpoint.find((name) => env[name])
    if (other === undefined) return undefined
    throw new SettingError('S3_ENDPOINT', '', `the URL of the store, since ${other} is set`)
  }
  if (!/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    throw new SettingError('S3_ENDPOINT', endpoint, 'an http or https URL without a path')
  }
  const region = env['S3_REGION'] || 'us-east-1'
  if (!/^[a-z0-9-]{1,64}$/i.test(region)) {
    throw new SettingError('S3_REGION', region, 'the name of a region, such as eu-central-1')
  }
  if (!bucket || !id !== !secret) {
    const missing = besideEndpoint.find((name) => !env[name])!
    throw new SettingError(missing, '', 'required with the other S3 settings')
  }
  return {
    endpoint: endpoint.replace(/\/$/, ''),
    bucket,
    region,
    credentials: id && secret ? { accessKeyId: id, secretAccessKey: secret } : undefined,
  }
}

const besideEndpoint = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']

/** Defaults to the host of BASE_URL, never to a caller's Host header. */
const provenanceOriginOf = (env: Environment, baseUrl: string): string => {
  const value = env['PROVENANCE_ORIGIN'] || new URL(baseUrl).hostname
  if (!/^[!-*,-~]{1,200}$/.test(value)) {
    throw new SettingError('PROVENANCE_ORIGIN', value, 'a name such as docs.example.com, without +')
  }
  return value
}

const familiesOf = (env: Environment): ReadonlySet<Family> => {
  const value = env['FAMILIES']
  if (value === undefined || value === '') return new Set(familyNames)
  const names = value.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !familyNames.includes(name as Family))
  if (unknown !== undefined) {
    throw new SettingError('FAMILIES', value, `a comma-separated list of ${familyNames.join(', ')}`)
  }
  return new Set<Family>([...(names as Family[]), 'enablement'])
}

/** `QUOTA_DOCUMENTS_PER_DAY` and so on; SANDBOX_QUOTAS=off disables all that are not hard. */
const quotasOf = (env: Environment): Config['quotas'] => {
  const isOn = oneOf(env, 'SANDBOX_QUOTAS', ['on', 'off'] as const, 'on') === 'on'
  const limitOf = (quota: QuotaName): number => {
    const name = `QUOTA_${quota.toUpperCase()}`
    const value = env[name] || String(quotaDefinitions[quota].limit)
    if (!/^\d{1,9}$/.test(value)) throw new SettingError(name, value, 'a whole number')
    return Number(value)
  }
  const limits = quotaNames.map((quota) => [quota, limitOf(quota)] as const)
  const held = limits.filter(([quota]) => isOn || quotaDefinitions[quota].isHard)
  return {
    test: Object.fromEntries(held),
    live: Object.fromEntries(held.filter(([quota]) => quotaDefinitions[quota].isForLive)),
  }
}

const stripeOf = (env: Environment): Config['stripe'] => {
  const secretKey = env['STRIPE_SECRET_KEY'] || undefined
  if (secretKey === undefined) {
    const other = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE'].find((name) => env[name])
    if (other === undefined) return undefined
    throw new SettingError('STRIPE_SECRET_KEY', '', `sk_…, required since ${other} is set`)
  }
  if (!/^[sr]k_\w+$/.test(secretKey)) {
    throw new SettingError('STRIPE_SECRET_KEY', '…', 'a secret key of Stripe: sk_… or rk_…')
  }
  const webhookSecret = env['STRIPE_WEBHOOK_SECRET'] || ''
  if (!/^whsec_./.test(webhookSecret)) {
    const shown = webhookSecret && '…'
    throw new SettingError(
      'STRIPE_WEBHOOK_SECRET',
      shown,
      'whsec_…, required with STRIPE_SECRET_KEY',
    )
  }
  const apiBase = env['STRIPE_API_BASE'] || 'https://api.stripe.com'
  if (!/^https?:\/\/[^/?#]+$/.test(apiBase)) {
    throw new SettingError('STRIPE_API_BASE', apiBase, 'an http or https URL without a path')
  }
  return { secretKey, webhookSecret, apiBase, reach: env['STRIPE_API_BASE'] ? 'private' : 'public' }
}
