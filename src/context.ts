/** The context of a process, which service.ts builds, and of a call. */
import type { Config } from './config.ts'
import type { Role } from './contract/roles.ts'
import type { Scope } from './contract/scopes.ts'
import type { Cidr } from './core/identity/ip-addresses.ts'
import type { Actor } from './changes/change-context.ts'
import type { RequestSignature } from './core/provenance/signed-slots.ts'
import type { PerformAsSystem } from './changes/system-change-context.ts'
import type { Engine } from './engine/engine.ts'
import type { FileStore } from './files/file-store.ts'
import type { Logger } from './telemetry/logger.ts'
import type { Tracing } from './telemetry/tracing.ts'
import type { Keyring } from './startup/keyring.ts'
import type { Rail, RailEventResult } from './rails/rail.ts'
import type { IdentityProvider } from './oidc/identity-provider.ts'
import type { Mailer } from './mail/mailer.ts'
import type { Outbound } from './outbound/client.ts'
import type { PdfMaker } from './pdf/pdf-maker.ts'
import type { ProofChecks } from './threads/proof-checks.ts'
import type { LogFolderProblem } from './notary/log-folder.ts'
import type { Notary } from './notary/notary.ts'
import type { TileTree } from './core/provenance/merkle-tree.ts'
import type { Queryable } from './database/sql.ts'
import type { Requester } from './database/fair-queue.ts'
import type { Database, RequestDatabase } from './database/pool.ts'
import type { DatabaseHealth } from './embedded-postgres/supervisor.ts'
import type { Refusal } from './contract/errors.ts'
import type { BrokenSeal } from './database/row-seals.ts'
import type { IsAbandoned } from './database/batch-loader.ts'
import type { FoundDocument } from './store/documents/documents.ts'
import type { RequestRow } from './store/request-log.ts'
import type { DueInSandboxes } from './store/due-rows.ts'

/** How far the work is that a clock advance makes due. */
export interface SandboxProgress {
  /** The keys of what was run. */
  done: Set<string>
  /** Why the rows of the first work that failed cannot be believed. */
  failure?: unknown
}

/** All the work that falls due at one time. */
export interface NextSandboxWork {
  /** In Unix milliseconds, by the organization's clock. */
  dueAtMs: number
  /** Returns false if one request has done enough, before all of it was run. */
  run(): Promise<boolean>
}

export interface Context {
  config: Config
  database: Database
  /** The state of the PostgreSQL that this process runs; undefined with DATABASE_URL. */
  embeddedDatabase: (() => DatabaseHealth) | undefined
  engine: Engine
  keyring: Keyring
  /** The bytes of attachments. */
  fileStore: FileStore
  log: Logger
  /** By the name of the rail that a payment records. */
  rails: ReadonlyMap<string, Rail>
  /** Applies a signed event of the processor; undefined when its signature is invalid. */
  receiveRailEvent(raw: Buffer, signature: string): Promise<RailEventResult | undefined>
  /** The work that falls due by the clocks of sandboxes. */
  sandboxWork: {
    /** What falls due first of what was not run before; undefined if none is left. */
    next(of: DueInSandboxes, progress: SandboxProgress): Promise<NextSandboxWork | undefined>
    /** Completes an advance of a clock; false if more fell due than is done at once. */
    complete(db: Queryable, advance: { organization: string; target: bigint }): Promise<boolean>
  }
  /** Performs a change of the service itself, through the same engine as any other write. */
  performAsSystem: PerformAsSystem
  /** The only way to call third parties. */
  outbound: Outbound
  /** Shares a statement with other look-ups of the moment. Does not check who may see it. */
  documentById(id: string, isAbandoned?: IsAbandoned): Promise<FoundDocument>
  /** Sends e-mails; undefined without SMTP_URL. */
  mailer: Mailer | undefined
  /** Shows a text on the output of the process, for the developer on this machine. */
  print(text: string): void
  /** Where people may sign in as well, by their ids. */
  identityProviders: ReadonlyMap<string, IdentityProvider>
  /** Makes PDFs off the request path. */
  pdfs: PdfMaker
  proofs: ProofChecks
  /** Vouches for the transparency logs. */
  notary: Notary
  /** The hashes inside a tile of a log, cached by the content of the tile. */
  tileTree(data: Buffer): TileTree
  /** Records that a key was used; written later, outside of the request. */
  recordKeyUse(keyId: string): void
  /** Records a request for the organization's request log; written later. */
  logRequest(organization: string, request: () => RequestRow): void
  /** `starting`: listens, but is not ready yet. `draining`: shuts down. */
  lifecycle(): 'starting' | 'serving' | 'draining'
  /** Whether a write failed lately because the database's disk is full or failed. */
  isDiskFailing(): boolean
  /** Whether the database lacks what was signed: nothing is answered then. */
  isRolledBack(): boolean
  /** What keeps this process from verifying or signing; undefined if nothing does. */
  logFolderProblem(): LogFolderProblem | undefined
  metrics: Metrics
  tracing: Tracing
  /** Raises the alarm, and returns what the caller is told. */
  refuseBrokenSeal(error: BrokenSeal): Promise<Refusal>
}

export interface Metrics {
  count(name: string, labels?: string, by?: number): void
  /** Records a duration in a histogram; `labels` as in Prometheus text, never empty. */
  observe(name: string, labels: string, seconds: number): void
  text(): string
}

/** The caller's organization. */
export interface CallingOrganization {
  id: string
  mode: 'live' | 'test'
  name: string
  isVerified: boolean
  sandboxOf: string | null
  clockOffsetSeconds: bigint
  /** The feed position of its last sandbox reset. */
  resetPosition: bigint
}

export interface SignedInUser {
  id: string
  email: string
  /** Whether it is known to be the user's: only then invitations to it are shown. */
  isEmailVerified: boolean
  name: string
  role: Role
  hasSecondFactor: boolean
}

/** A credential in its current state. */
export interface Credential {
  kind: 'key' | 'session'
  id: string
  actor: Exclude<Actor, { kind: 'system' }>
  /** Prefix of the key; null for a session. */
  prefix: string | null
  /** Before they are intersected with the capabilities of the organization. */
  grantedScopes: readonly Scope[]
  allowedCidrs: readonly Cidr[]
  /** The public key that verifies its writes; null if they are not signed. */
  signingKey: Buffer | null
  /** What it pays is limited by payment_limits; a session has none. */
  hasPaymentLimit: boolean
  /** How long ago the user of a session last proved their identity, by the database's clock. */
  authenticatedAgeMs: number | null
  /** A session of a browser, at which somebody else may sit. */
  isBrowser: boolean
  /** A person approves what it pays, or what exceeds an amount; sessions follow the rules alone. */
  requiresApproval: boolean
  /** The user who has signed in, or has made the key. */
  personId: string
  /** Signed-in user and role, for sessions. */
  user: SignedInUser | null
}

/**
 * One authenticated call. It reads with the connections of its operation's class of work; a
 * snapshot is heavy work and waits for the organization's turn.
 */
export interface Call extends Pick<RequestDatabase, 'read' | 'pages' | 'snapshot'> {
  context: Context
  /** On whose behalf it waits for a turn, where it has not waited for one already. */
  requester: Requester
  requestId: string
  address: string
  organization: CallingOrganization
  credential: Credential
  /** Granted scopes that the organization can use now. */
  scopes: ReadonlySet<Scope>
  idempotencyKey: string | null
  dryRun: boolean
  ifMatch: string | undefined
  /** The Accept header as received. */
  accept: string | undefined
  /** The Last-Event-ID header, with which a stream resumes. */
  lastEventId: string | undefined
  /** The signature of the party, if its key signs. */
  signature: RequestSignature | null
  /** The id under which the call's file is stored, for operations that take one. */
  fileId: string | undefined
  /** Reads the call's file when it is its organization's turn, for operations that read one. */
  readReceivedFile: (<T>(read: (bytes: Buffer) => T) => Promise<T>) | undefined
}
