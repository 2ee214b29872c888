/** All that one worker has in hand, endpoint by endpoint. No delivery is in it twice. */
import { limits } from '../contract/limits.ts'
import type { Due, Leased, Wanted } from '../store/webhooks/delivery-queue.ts'
import { Hand, type Means, roomOf } from './endpoint-queue.ts'

export interface Held {
  /** How many were asked for. */
  most: number
  /** The end of the lease. */
  until: number
}

export class Hands {
  readonly #means: Means
  readonly #hands = new Map<string, Hand>()
  /** Deliveries that are in some hand or not recorded yet. */
  readonly #deliveries = new Set<string>()

  constructor(means: Means) {
    this.#means = means
  }

  get(id: string): Hand | undefined {
    return this.#hands.get(id)
  }

  all(): Hand[] {
    return [...this.#hands.values()]
  }

  /** Whether there is room for further endpoints. What waits for slow ones gives way first. */
  hasRoom(): boolean {
    for (const hand of this.#hands.values()) this.#free(hand.trim())
    const bytes = this.all().reduce((sum, hand) => sum + hand.bytes(), 0)
    return bytes < limits.inHandMaxBytes
  }

  /** Hands of which nothing is left but for what is about to be recorded. */
  done(recorded: ReadonlyMap<string, number>): Hand[] {
    return this.all().filter((hand) => hand.isDone(recorded.get(hand.id) ?? 0))
  }

  /** How much to ask for of an endpoint. */
  wanted(id: string): Wanted {
    return { id, most: this.#hands.get(id)?.most() ?? roomOf(id, this.#means) }
  }

  /** What is due of an ACTIVE endpoint that was leased, as much as was asked for. */
  hold(endpoint: Leased, due: readonly Due[], { most, until }: Held): Hand {
    const hand = this.#hands.get(endpoint.id) ?? new Hand(endpoint, this.#means)
    this.#hands.set(endpoint.id, hand)
    hand.renew(endpoint, until)
    const fresh = due.filter(({ id }) => !this.#deliveries.has(id))
    for (const { id } of fresh) this.#deliveries.add(id)
    const waiting = Number(due[0]?.waiting ?? 0)
    hand.mayHaveMore = due.length < waiting || waiting >= most
    hand.isExhausted = fresh.length === 0
    hand.add(fresh)
    return hand
  }

  noteRecorded({ delivery_id, webhook_id }: { delivery_id: string; webhook_id: string }): void {
    this.#deliveries.delete(delivery_id)
    this.#hands.get(webhook_id)?.noteRecorded()
  }

  /** What is in hand unsent goes back; what is under way ends and is recorded. */
  giveUp(hand: Hand): void {
    this.#free(hand.giveUp())
  }

  letGo(hand: Hand): void {
    hand.close()
    this.#hands.delete(hand.id)
  }

  #free(deliveries: readonly string[]): void {
    for (const id of deliveries) this.#deliveries.delete(id)
  }
}
