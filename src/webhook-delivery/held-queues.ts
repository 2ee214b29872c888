/** The queues of one worker, by endpoint. No delivery is held twice. */
import { limits } from '../contract/limits.ts'
import type { LeasedEndpoint } from '../store/webhooks/delivery-queue.ts'
import type { DueDelivery, FetchLimit } from '../store/webhooks/due-deliveries.ts'
import {
  EndpointQueue,
  type LeaseTerms,
  type QueueContext,
  queueCapacity,
} from './endpoint-queue.ts'

export interface FetchTerms extends LeaseTerms {
  /** How many deliveries were fetched at most. */
  fetchLimit: number
}

export class HeldQueues {
  readonly #context: QueueContext
  readonly #queues = new Map<string, EndpointQueue>()
  /** Deliveries that are queued, in flight or not recorded yet. */
  readonly #deliveryIds = new Set<string>()

  constructor(context: QueueContext) {
    this.#context = context
  }

  get(id: string): EndpointQueue | undefined {
    return this.#queues.get(id)
  }

  all(): EndpointQueue[] {
    return [...this.#queues.values()]
  }

  /** The queues to fetch more for. */
  refilling(): EndpointQueue[] {
    const wanting = this.all().filter((queue) => queue.needsRefill())
    return wanting.slice(0, limits.refillEndpointsMax)
  }

  /** At once for settings that may have changed, and never for a worker that holds nothing. */
  nextRenewalMs(regularMs: number): number {
    if (this.all().some((queue) => queue.isStale)) return 0
    return this.#queues.size > 0 ? regularMs : Infinity
  }

  /** Whether there is room for more endpoints. Makes room by trimming the queues of slow ones. */
  hasRoom(): boolean {
    for (const queue of this.#queues.values()) this.#forget(queue.trim())
    const bytes = this.all().reduce((sum, queue) => sum + queue.queuedBytes(), 0)
    return bytes < limits.queuedMaxBytes
  }

  /** Queues with nothing left except the attempts that are being recorded. */
  drained(recording: ReadonlyMap<string, number>): EndpointQueue[] {
    return this.all().filter((queue) => queue.isDrained(recording.get(queue.id) ?? 0))
  }

  /** How many deliveries to fetch for an endpoint. */
  fetchLimit(id: string): FetchLimit {
    return { id, max: this.#queues.get(id)?.fetchLimit() ?? queueCapacity(id, this.#context) }
  }

  /** Takes over the fetched deliveries of a leased, ACTIVE endpoint. */
  hold(
    endpoint: LeasedEndpoint,
    due: readonly DueDelivery[],
    { fetchLimit, ...lease }: FetchTerms,
  ): EndpointQueue {
    const queue = this.#queues.get(endpoint.id) ?? new EndpointQueue(endpoint, this.#context)
    this.#queues.set(endpoint.id, queue)
    queue.renew(endpoint, lease)
    const fresh = due.filter(({ id }) => !this.#deliveryIds.has(id))
    for (const { id } of fresh) this.#deliveryIds.add(id)
    const waiting = Number(due[0]?.waiting ?? 0)
    queue.mayHaveMore = due.length < waiting || waiting >= fetchLimit
    queue.isExhausted = fresh.length === 0
    queue.enqueue(fresh)
    return queue
  }

  noteRecorded({ delivery_id, webhook_id }: { delivery_id: string; webhook_id: string }): void {
    this.#deliveryIds.delete(delivery_id)
    this.#queues.get(webhook_id)?.noteRecorded()
  }

  /** Returns the unsent deliveries. Attempts in flight end normally and are recorded. */
  returnToQueue(queue: EndpointQueue): void {
    this.#forget(queue.returnToQueue())
  }

  /** The same for an endpoint, if this worker holds a queue of it. */
  returnIfHeld(id: string): void {
    const queue = this.#queues.get(id)
    if (queue !== undefined) this.returnToQueue(queue)
  }

  release(queue: EndpointQueue): void {
    queue.close()
    this.#queues.delete(queue.id)
  }

  #forget(deliveries: readonly string[]): void {
    for (const id of deliveries) this.#deliveryIds.delete(id)
  }
}
