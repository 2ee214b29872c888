/**
 * What one worker has in hand for one endpoint: its lease, its secrets, what waits to be sent. Few
 * wait of an endpoint that is not known to answer quickly: however many of them hang, what a worker
 * keeps for them stays small.
 */
import { type Secrets, openSecrets } from '../changes/webhooks/endpoints.ts'
import { type Attempted, type Sendable, attempt, notAttempted } from './attempt.ts'
import { limits } from '../contract/limits.ts'
import type { Line, Outbound } from '../outbound/client.ts'
import type { Due, Leased } from '../store/webhooks/delivery-queue.ts'
import type { Turn } from './fair-scheduler.ts'

export interface Means {
  outbound: Outbound
  secretKey: Buffer
  /** http and private addresses, for sandbox organizations. */
  allowsPrivate: boolean
  isSlow(webhook: string): boolean
}

export class Hand implements Turn {
  readonly id: string
  readonly #means: Means
  #endpoint: Leased
  #secrets: Secrets | undefined
  #line: Line
  #queue: Due[] = []
  #leasedUntilMs = 0
  inFlight = 0
  /** Sent, and not recorded yet. */
  unrecorded = 0
  /** There may be more of it than was handed out. */
  mayHaveMore = false
  /** The last look at it brought nothing that is not in hand: something must be recorded first. */
  isExhausted = false
  /** Something is left of it for whoever comes next. */
  #hasLeft = false
  #hasAnsweredQuickly = false

  constructor(endpoint: Leased, means: Means) {
    this.id = endpoint.id
    this.#means = means
    this.#endpoint = endpoint
    this.#secrets = openSecrets(means.secretKey, endpoint)
    this.#line = this.#openLine()
  }

  waiting(): number {
    return performance.now() < this.#leasedUntilMs ? this.#queue.length : 0
  }

  /** Whether to ask for more of it: not again while all that is handed out is in hand already. */
  wantsMore(): boolean {
    return this.mayHaveMore && !this.isFull() && !this.isExhausted
  }

  isFull(): boolean {
    return this.#queue.length >= Math.min(limits.refillDeliveries, this.#room())
  }

  /** How many to ask for, with those that are in hand: they are due until they are recorded. */
  most(): number {
    const held = this.#queue.length + this.inFlight + this.unrecorded
    return Math.min(limits.claimDeliveriesPerEndpoint, held + this.#room())
  }

  bytes(): number {
    return this.#queue.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
  }

  /** Nothing of it is left here, but for what `recorded` is about to record. */
  isDone(recorded: number): boolean {
    const isEmpty = this.#queue.length === 0 && this.inFlight === 0 && !this.mayHaveMore
    return isEmpty && this.unrecorded === recorded
  }

  canOpenSecrets(): boolean {
    return this.#secrets !== undefined
  }

  /** The endpoint as it is now, leased until then. */
  renew(endpoint: Leased, leasedUntilMs: number): void {
    const before = this.#endpoint
    this.#endpoint = endpoint
    this.#leasedUntilMs = leasedUntilMs
    if (!isSameSecret(before, endpoint)) {
      this.#secrets = openSecrets(this.#means.secretKey, endpoint)
    }
    if (before.url !== endpoint.url) {
      this.#line.close()
      this.#line = this.#openLine()
    }
  }

  add(due: readonly Due[]): void {
    this.#queue.push(...due)
  }

  /** Keeps what there is room for; answers the ids of the rest. */
  trim(): string[] {
    const rest = this.#queue.splice(this.#room())
    this.mayHaveMore ||= rest.length > 0
    return rest.map(({ id }) => id)
  }

  next(): Due {
    return this.#queue.shift()!
  }

  /** What it was told of is not all that committed. */
  hasMoreToFanOut(): void {
    this.mayHaveMore = true
    this.isExhausted = false
  }

  noteRecorded(): void {
    this.unrecorded -= 1
    this.isExhausted = false
  }

  /** Nothing more is sent from here. Answers the ids of what waited. */
  giveUp(): string[] {
    const back = this.#queue.map(({ id }) => id)
    this.#queue = []
    this.#hasLeft ||= back.length > 0 || this.mayHaveMore
    this.mayHaveMore = false
    return back
  }

  /** When what is left is due for whoever comes next; null when nothing is. */
  dueAgainMs(): number | null {
    if (!this.#hasLeft) return null
    return this.canOpenSecrets() ? 0 : limits.unreadableSecretRetryMs
  }

  async send(due: Due): Promise<Attempted> {
    if (due.payload === null) return notAttempted(due, 'the event has aged out')
    const attempted = await attempt(this.#line, this.#secrets!, due as Sendable)
    this.#hasAnsweredQuickly ||= attempted.row.duration_ms < limits.slowAnswerMs
    return attempted
  }

  close(): void {
    this.#line.close()
  }

  /** How many may wait here. */
  #room(): number {
    const isFast = this.#hasAnsweredQuickly && !this.#means.isSlow(this.id)
    return isFast ? Infinity : roomOf(this.id, this.#means)
  }

  #openLine(): Line {
    const { url, mode } = this.#endpoint
    const allowsPrivate = this.#means.allowsPrivate && mode === 'test'
    return this.#means.outbound.line(url, { allowsPrivate })
  }
}

/** How many may wait for an endpoint of which nothing is in hand yet. */
export const roomOf = (webhook: string, { isSlow }: Means): number =>
  isSlow(webhook) ? limits.slowInHandDeliveries : limits.unprovenInHandDeliveries

const isSameSecret = (one: Leased, other: Leased): boolean =>
  one.secret_sealed.equals(other.secret_sealed) &&
  one.previous_secret_valid_until === other.previous_secret_valid_until
