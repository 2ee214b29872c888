/**
 * What one worker has in hand for one endpoint: its lease, its secrets, what waits to be sent. Few
 * wait of an endpoint that is not known to answer quickly: however many of them hang, what a worker
 * keeps for them stays small.
 */
import { type SigningSecrets, openSecrets } from '../changes/webhooks/endpoints.ts'
import {
  type AttemptResult,
  type SendableDelivery,
  attemptDelivery,
  unsentAttempt,
} from './attempt.ts'
import { limits } from '../contract/limits.ts'
import type { OutboundClient, Outbound } from '../outbound/client.ts'
import type { DueDelivery, LeasedEndpoint } from '../store/webhooks/delivery-queue.ts'
import type { FairQueue } from './fair-scheduler.ts'

export interface QueueContext {
  outbound: Outbound
  secretKey: Buffer
  /** http and private addresses, for sandbox organizations. */
  allowsPrivate: boolean
  isSlow(webhook: string): boolean
}

export class EndpointQueue implements FairQueue {
  readonly id: string
  readonly #context: QueueContext
  #endpoint: LeasedEndpoint
  #secrets: SigningSecrets | undefined
  #client: OutboundClient
  #waiting: DueDelivery[] = []
  #leasedUntilMs = 0
  inFlight = 0
  /** Sent, and not recorded yet. */
  unrecorded = 0
  /** There may be more of it than was handed out. */
  mayHaveMore = false
  /** The last look at it brought nothing that is not in hand: something must be recorded first. */
  isExhausted = false
  /** Something is left of it for whoever comes next. */
  #hasRemainder = false
  #hasAnsweredQuickly = false

  constructor(endpoint: LeasedEndpoint, means: QueueContext) {
    this.id = endpoint.id
    this.#context = means
    this.#endpoint = endpoint
    this.#secrets = openSecrets(means.secretKey, endpoint)
    this.#client = this.#openClient()
  }

  waitingCount(): number {
    return performance.now() < this.#leasedUntilMs ? this.#waiting.length : 0
  }

  /** Whether to ask for more of it: not again while all that is handed out is in hand already. */
  needsRefill(): boolean {
    return this.mayHaveMore && !this.isFull() && !this.isExhausted
  }

  isFull(): boolean {
    return this.#waiting.length >= Math.min(limits.refillBelowDeliveries, this.#capacity())
  }

  /** How many to ask for, with those that are in hand: they are due until they are recorded. */
  fetchLimit(): number {
    const held = this.#waiting.length + this.inFlight + this.unrecorded
    return Math.min(limits.claimDeliveriesPerEndpoint, held + this.#capacity())
  }

  queuedBytes(): number {
    return this.#waiting.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
  }

  /** Nothing of it is left here, but for what `recorded` is about to record. */
  isDrained(recorded: number): boolean {
    const isEmpty = this.#waiting.length === 0 && this.inFlight === 0 && !this.mayHaveMore
    return isEmpty && this.unrecorded === recorded
  }

  canOpenSecrets(): boolean {
    return this.#secrets !== undefined
  }

  /** The endpoint as it is now, leased until then. */
  renew(endpoint: LeasedEndpoint, leasedUntilMs: number): void {
    const before = this.#endpoint
    this.#endpoint = endpoint
    this.#leasedUntilMs = leasedUntilMs
    if (!isSameSecret(before, endpoint)) {
      this.#secrets = openSecrets(this.#context.secretKey, endpoint)
    }
    if (before.url !== endpoint.url) {
      this.#client.close()
      this.#client = this.#openClient()
    }
  }

  enqueue(due: readonly DueDelivery[]): void {
    this.#waiting.push(...due)
  }

  /** Keeps what there is room for; answers the ids of the rest. */
  trim(): string[] {
    const rest = this.#waiting.splice(this.#capacity())
    this.mayHaveMore ||= rest.length > 0
    return rest.map(({ id }) => id)
  }

  dequeue(): DueDelivery {
    return this.#waiting.shift()!
  }

  /** What it was told of is not all that committed. */
  noteMoreToFanOut(): void {
    this.mayHaveMore = true
    this.isExhausted = false
  }

  noteRecorded(): void {
    this.unrecorded -= 1
    this.isExhausted = false
  }

  /** Nothing more is sent from here. Answers the ids of what waited. */
  returnToQueue(): string[] {
    const back = this.#waiting.map(({ id }) => id)
    this.#waiting = []
    this.#hasRemainder ||= back.length > 0 || this.mayHaveMore
    this.mayHaveMore = false
    return back
  }

  /** When what is left is due for whoever comes next; null when nothing is. */
  nextDueMs(): number | null {
    if (!this.#hasRemainder) return null
    return this.canOpenSecrets() ? 0 : limits.unreadableSecretRetryMs
  }

  async send(due: DueDelivery): Promise<AttemptResult> {
    if (due.payload === null) return unsentAttempt(due, 'the event has aged out')
    const attempted = await attemptDelivery(this.#client, this.#secrets!, due as SendableDelivery)
    this.#hasAnsweredQuickly ||= attempted.row.duration_ms < limits.slowResponseMs
    return attempted
  }

  close(): void {
    this.#client.close()
  }

  /** How many may wait here. */
  #capacity(): number {
    const isFast = this.#hasAnsweredQuickly && !this.#context.isSlow(this.id)
    return isFast ? Infinity : queueCapacity(this.id, this.#context)
  }

  #openClient(): OutboundClient {
    const { url, mode } = this.#endpoint
    const allowsPrivate = this.#context.allowsPrivate && mode === 'test'
    return this.#context.outbound.client(url, { allowsPrivate })
  }
}

/** How many may wait for an endpoint of which nothing is in hand yet. */
export const queueCapacity = (webhook: string, { isSlow }: QueueContext): number =>
  isSlow(webhook) ? limits.slowInFlightDeliveries : limits.unprovenInFlightDeliveries

const isSameSecret = (one: LeasedEndpoint, other: LeasedEndpoint): boolean =>
  one.secret_sealed.equals(other.secret_sealed) &&
  one.previous_secret_valid_until === other.previous_secret_valid_until
