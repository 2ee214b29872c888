/** What a process has (Context) and what one call has (Call). Built in service.ts, passed down. */
import type { Config } from './config.ts'
import type { Scope } from './contract/scopes.ts'
import type { Cidr } from './core/identity/ip-addresses.ts'
import type { Actor } from './changes/change-context.ts'
import type { PerformAsSystem } from './changes/sandbox/seed-documents.ts'
import type { Engine } from './engine/engine.ts'
import type { FileStore } from './files/file-store.ts'
import type { Logger } from './telemetry/logger.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { Keyring } from './startup/keyring.ts'
import type { Rail } from './rails/rail.ts'
import type { RailEventResult } from './tasks/rail-events.ts'
import type { Outbound } from './outbound/client.ts'
import type { Notary } from './notary/notary.ts'
import type { TileTree } from './core/provenance/merkle-tree.ts'
import type { Database, RequestDatabase } from './database/pool.ts'
import type { PositionedDocument } from './store/documents/documents.ts'
import type { RequestRow } from './store/request-log.ts'

export interface Context {
  config: Config
  database: Database
  engine: Engine
  keyring: Keyring
  /** The bytes of attachments. */
  fileStore: FileStore
  log: Logger
  /** What moves money, by the name that payments carry. */
  rails: ReadonlyMap<string, Rail>
  /** Applies a signed event of the processor; undefined when it is not signed as it must be. */
  receiveRailEvent(raw: Buffer, signature: string): Promise<RailEventResult | undefined>
  /** Does what is due of some sandbox organizations, by their clocks, before it returns. */
  runScheduledWork(organizations: readonly string[]): Promise<void>
  /** A change that nobody asked for, through the same engine as every other. */
  performAsSystem: PerformAsSystem
  /** The only way to call a stranger's server. */
  outbound: Outbound
  /** Vouches for the logs of provenance. */
  notary: Notary
  /** The hashes of a tile of a log, kept by what the tile holds. */
  tileTree(data: Buffer): TileTree
  /** Notes that a key was used; written later, off the request path. */
  recordKeyUse(keyId: string): void
  /** Notes an answered call for the organization's log of calls; written later. */
  logRequest(organization: string, request: () => RequestRow): void
  /** Not ready yet, although it listens; or shutting down, and no longer ready. */
  lifecycle(): 'starting' | 'serving' | 'draining'
  /** Whether a write failed lately because the database's disk is full or failed. */
  isDiskFailing(): boolean
  /** Counts for /metrics. */
  metrics: Metrics
  tracing: Tracing
  /**
   * One document by id, whoever may see it (`sideSeen`); gathered with those asked for at the same
   * moment.
   */
  documentById(id: string): Promise<PositionedDocument | undefined>
}

export interface Metrics {
  count(name: string, labels?: string, by?: number): void
  /** Records a duration in a histogram; `labels` as in Prometheus text, never empty. */
  observe(name: string, labels: string, seconds: number): void
  text(): string
}

/** The organization that calls. */
export interface CallingOrganization {
  id: string
  mode: 'live' | 'test'
  name: string
  isVerified: boolean
  sandboxOf: string | null
  clockOffsetSeconds: bigint
  /** Up to where in its feed it has begun anew. */
  resetPosition: bigint
}

/** The credential as it stands right now. */
export interface Credential {
  kind: 'key' | 'session'
  id: string
  actor: Exclude<Actor, { kind: 'system' }>
  /** Prefix of the key; null for a session. */
  prefix: string | null
  /** What was granted, before it is intersected with the organization. */
  grantedScopes: readonly Scope[]
  allowedCidrs: readonly Cidr[]
  /** Signed-in user and role, for sessions. */
  user: { id: string; email: string; name: string; role: 'owner' | 'admin' | 'member' } | null
}

/**
 * One authenticated call. It reads with the connections of its operation's class of work; a
 * snapshot is heavy work and waits for the organization's turn.
 */
export interface Call extends Pick<RequestDatabase, 'read' | 'pages' | 'snapshot'> {
  context: Context
  requestId: string
  address: string
  organization: CallingOrganization
  credential: Credential
  /** Granted scopes that the organization can use now. */
  scopes: ReadonlySet<Scope>
  idempotencyKey: string | null
  dryRun: boolean
  ifMatch: string | undefined
  /** The id under which the call's file is stored, for operations that take one. */
  fileId: string | undefined
}

export const isAdmin = (credential: Credential): boolean =>
  credential.user !== null && credential.user.role !== 'member'
