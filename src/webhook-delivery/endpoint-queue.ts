/**
 * One worker's state for one endpoint: the lease, the secrets and the queued deliveries. Until an
 * endpoint has responded quickly, its queue stays short, so a worker holds little for endpoints
 * that hang, however many they are.
 */
import type { ServerKeys } from '../core/server-keys.ts'
import { type SigningSecrets, openSecrets } from '../changes/webhooks/endpoints.ts'
import { type AttemptResult, attemptDelivery, unsentAttempt } from './attempt.ts'
import { limits } from '../contract/limits.ts'
import { type Reach, reachOf } from '../core/webhooks/endpoint-url.ts'
import type { OutboundClient, Outbound } from '../outbound/client.ts'
import type { LeasedEndpoint } from '../store/webhooks/delivery-queue.ts'
import type { DueDelivery } from '../store/webhooks/due-deliveries.ts'
import type { ScheduledQueue } from './fair-scheduler.ts'

export interface QueueContext {
  outbound: Outbound
  secretKeys: ServerKeys
  /** What the receivers of sandbox organizations may be. */
  sandboxReach: Reach
  isSlow(webhook: string): boolean
}

export interface LeaseTerms {
  leasedUntilMs: number
  /** No later than when the endpoint was read, or as long as its row was locked. */
  readAtMs: number
}

export class EndpointQueue implements ScheduledQueue {
  readonly id: string
  readonly #context: QueueContext
  #endpoint: LeasedEndpoint
  #secrets: SigningSecrets | undefined
  #client: OutboundClient
  #queued: DueDelivery[] = []
  #leasedUntilMs = 0
  /** When the settings were read, or found unchanged. */
  #readAtMs = 0
  /** The settings may have changed: nothing is sent before they are read again. */
  isStale = false
  /** The database's clock is ahead of `performance.now()` by so much. */
  #clockOffsetMs = 0
  /** The time of the latest attempt: the recorded times never run backwards. */
  #lastAttemptAtMs = 0
  inFlight = 0
  /** Sent, but not recorded yet. */
  unrecorded = 0
  /** The database may have more due deliveries than were fetched. */
  mayHaveMore = false
  /** The last fetch returned only deliveries already held: one must be recorded before the next. */
  isExhausted = false
  /** Deliveries were returned, or never fetched, and are left to the next worker. */
  #hasRemainder = false
  #hasRespondedQuickly = false

  constructor(endpoint: LeasedEndpoint, context: QueueContext) {
    this.id = endpoint.id
    this.#context = context
    this.#endpoint = endpoint
    this.#secrets = secretsOf(context.secretKeys, endpoint)
    this.#client = this.#openClient()
  }

  waitingCount(): number {
    const mayBeSent = performance.now() < this.#leasedUntilMs && !this.isStale
    return mayBeSent ? this.#queued.length : 0
  }

  /** Whether an attempt may begin without another look at the endpoint. */
  isCurrent(): boolean {
    return performance.now() - this.#readAtMs < limits.endpointSettingsMaxAgeMs
  }

  /** Keeps the settings if they are of this version; it is undefined once the lease is lost. */
  compareVersion(version: bigint | null | undefined, readAtMs: number): void {
    if (version === this.#endpoint.version) this.#readAtMs = Math.max(this.#readAtMs, readAtMs)
    else this.isStale = true
  }

  /** Whether to fetch more deliveries. */
  needsRefill(): boolean {
    return this.mayHaveMore && !this.isFull() && !this.isExhausted
  }

  isFull(): boolean {
    return this.#queued.length >= Math.min(limits.refillBelowDeliveries, this.#capacity())
  }

  /** How many deliveries to fetch, including those held, which are due until they are recorded. */
  fetchLimit(): number {
    const held = this.#queued.length + this.inFlight + this.unrecorded
    return Math.min(limits.claimDeliveriesPerEndpoint, held + this.#capacity())
  }

  queuedBytes(): number {
    return this.#queued.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
  }

  /** Whether nothing is left once `recording` attempts, which are being recorded, are done. */
  isDrained(recording: number): boolean {
    const isEmpty = this.#queued.length === 0 && this.inFlight === 0 && !this.mayHaveMore
    return isEmpty && this.unrecorded === recording
  }

  canOpenSecrets(): boolean {
    return this.#secrets !== undefined
  }

  /** Takes over the endpoint's current settings and the new end of the lease. */
  renew(endpoint: LeasedEndpoint, { leasedUntilMs, readAtMs }: LeaseTerms): void {
    const before = this.#endpoint
    this.#clockOffsetMs = Date.parse(endpoint.now) - performance.now()
    for (const time of [endpoint.last_success_at, endpoint.last_failure_at]) {
      if (time !== null) this.#lastAttemptAtMs = Math.max(this.#lastAttemptAtMs, Date.parse(time))
    }
    this.#endpoint = endpoint
    this.#leasedUntilMs = leasedUntilMs
    this.#readAtMs = readAtMs
    this.isStale = false
    if (!isSameSecret(before, endpoint)) {
      this.#secrets = secretsOf(this.#context.secretKeys, endpoint)
    }
    if (before.url !== endpoint.url) {
      this.#client.close()
      this.#client = this.#openClient()
    }
  }

  enqueue(due: readonly DueDelivery[]): void {
    this.#queued.push(...due)
  }

  /** Drops the deliveries beyond the capacity and returns their ids. */
  trim(): string[] {
    const dropped = this.#queued.splice(this.#capacity())
    this.mayHaveMore ||= dropped.length > 0
    return dropped.map(({ id }) => id)
  }

  /** The next delivery, if one may be sent with these settings. */
  dequeue(): DueDelivery | undefined {
    return this.isCurrent() && this.waitingCount() > 0 ? this.#queued.shift() : undefined
  }

  /** Not all committed events have been fanned out to this endpoint yet. */
  noteMoreToFanOut(): void {
    this.mayHaveMore = true
    this.isExhausted = false
  }

  noteRecorded(): void {
    this.unrecorded -= 1
    this.isExhausted = false
  }

  /** Stops sending and returns the ids of the deliveries that were not sent. */
  returnToQueue(): string[] {
    const returned = this.#queued.map(({ id }) => id)
    this.#queued = []
    this.#hasRemainder ||= returned.length > 0 || this.mayHaveMore
    this.mayHaveMore = false
    this.isStale = false
    return returned
  }

  /** The delay after which the remaining deliveries are due for any worker; null if none remain. */
  nextDueMs(): number | null {
    if (!this.#hasRemainder) return null
    return this.canOpenSecrets() ? 0 : limits.unreadableSecretRetryMs
  }

  async send(due: DueDelivery): Promise<AttemptResult> {
    const { payload } = due
    const at = this.#attemptTime(due)
    if (due.brokenSeal !== undefined) return unsentAttempt({ ...due, at }, 'integrity_failure')
    if (payload === null) return unsentAttempt({ ...due, at }, 'the event has expired')
    const result = await attemptDelivery(this.#client, this.#secrets!, { ...due, payload, at })
    this.#hasRespondedQuickly ||= result.row.duration_ms < limits.slowResponseMs
    return result
  }

  /** Not before the event or the last attempt, whichever clock has jumped back since. */
  #attemptTime({ created_at }: DueDelivery): string {
    const now = performance.now() + this.#clockOffsetMs
    this.#lastAttemptAtMs = Math.max(this.#lastAttemptAtMs, now, Date.parse(created_at))
    return new Date(this.#lastAttemptAtMs).toISOString()
  }

  close(): void {
    this.#client.close()
  }

  /** How many deliveries may be queued. */
  #capacity(): number {
    const isFast = this.#hasRespondedQuickly && !this.#context.isSlow(this.id)
    return isFast ? Infinity : queueCapacity(this.id, this.#context)
  }

  #openClient(): OutboundClient {
    const { url, mode } = this.#endpoint
    const reach = reachOf(mode, this.#context.sandboxReach)
    return this.#context.outbound.client(url, { reach })
  }
}

/** How many deliveries may be queued for an endpoint that has not responded quickly. */
export const queueCapacity = (webhook: string, { isSlow }: QueueContext): number =>
  isSlow(webhook) ? limits.slowQueuedDeliveries : limits.unprovenQueuedDeliveries

/** None for an endpoint that somebody has changed in the database: nothing is sent to it. */
const secretsOf = (keys: ServerKeys, endpoint: LeasedEndpoint): SigningSecrets | undefined =>
  endpoint.isAsSealed ? openSecrets(keys, endpoint) : undefined

const isSameSecret = (one: LeasedEndpoint, other: LeasedEndpoint): boolean =>
  one.isAsSealed === other.isAsSealed &&
  one.secret_sealed.equals(other.secret_sealed) &&
  one.previous_secret_valid_until === other.previous_secret_valid_until
