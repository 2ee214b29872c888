/** All that one worker has in hand, endpoint by endpoint. No delivery is in it twice. */
import { limits } from '../contract/limits.ts'
import type { DueDelivery, LeasedEndpoint, FetchLimit } from '../store/webhooks/delivery-queue.ts'
import { EndpointQueue, type QueueContext, queueCapacity } from './endpoint-queue.ts'

export interface LeaseTerms {
  /** How many were asked for. */
  fetchLimit: number
  /** The end of the lease. */
  leasedUntilMs: number
}

export class InFlightDeliveries {
  readonly #context: QueueContext
  readonly #queues = new Map<string, EndpointQueue>()
  /** Deliveries that are in some hand or not recorded yet. */
  readonly #deliveryIds = new Set<string>()

  constructor(means: QueueContext) {
    this.#context = means
  }

  get(id: string): EndpointQueue | undefined {
    return this.#queues.get(id)
  }

  all(): EndpointQueue[] {
    return [...this.#queues.values()]
  }

  /** Whether there is room for further endpoints. What waits for slow ones gives way first. */
  hasRoom(): boolean {
    for (const queue of this.#queues.values()) this.#forget(queue.trim())
    const bytes = this.all().reduce((sum, queue) => sum + queue.queuedBytes(), 0)
    return bytes < limits.inFlightMaxBytes
  }

  /** Hands of which nothing is left but for what is about to be recorded. */
  drained(recorded: ReadonlyMap<string, number>): EndpointQueue[] {
    return this.all().filter((queue) => queue.isDrained(recorded.get(queue.id) ?? 0))
  }

  /** How much to ask for of an endpoint. */
  fetchLimit(id: string): FetchLimit {
    return { id, max: this.#queues.get(id)?.fetchLimit() ?? queueCapacity(id, this.#context) }
  }

  /** What is due of an ACTIVE endpoint that was leased, as much as was asked for. */
  hold(
    endpoint: LeasedEndpoint,
    due: readonly DueDelivery[],
    { fetchLimit, leasedUntilMs }: LeaseTerms,
  ): EndpointQueue {
    const queue = this.#queues.get(endpoint.id) ?? new EndpointQueue(endpoint, this.#context)
    this.#queues.set(endpoint.id, queue)
    queue.renew(endpoint, leasedUntilMs)
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

  /** What is in hand unsent goes back; what is under way ends and is recorded. */
  returnToQueue(queue: EndpointQueue): void {
    this.#forget(queue.returnToQueue())
  }

  release(queue: EndpointQueue): void {
    queue.close()
    this.#queues.delete(queue.id)
  }

  #forget(deliveries: readonly string[]): void {
    for (const id of deliveries) this.#deliveryIds.delete(id)
  }
}
