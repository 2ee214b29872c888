/**
 * Whose delivery starts next. Endpoints take turns, one delivery each; of one endpoint a bounded
 * number is in flight. An endpoint that answered slowly gets one at a time, and all slow ones
 * together a share of their own: however many hang, there is room for those that do not.
 */
import { limits } from '../contract/limits.ts'

/** What takes turns: the deliveries in hand for one endpoint. */
export interface Turn {
  readonly id: string
  /** How many wait; a turn with none is passed over. */
  waiting(): number
  inFlight: number
}

export class Turns<T extends Turn> {
  readonly #start: (turn: T) => Promise<{ durationMs: number }>
  /** In the order of their turns. */
  readonly #ready = new Set<T>()
  readonly #slow = new Set<string>()
  /** Slow ones for which there is no room now. */
  readonly #held = new Set<T>()
  #slowInFlight = 0
  inFlight = 0

  constructor(start: (turn: T) => Promise<{ durationMs: number }>) {
    this.#start = start
  }

  /** It has something waiting. */
  offer(turn: T): void {
    this.#ready.add(turn)
  }

  /** Starts what there is room for. */
  run(): void {
    // What is added again while the loop runs comes last, and is visited again.
    for (const turn of this.#ready) {
      if (this.inFlight >= limits.deliveriesAtOnce) return
      this.#ready.delete(turn)
      const isSlow = this.#slow.has(turn.id)
      if (turn.waiting() === 0) continue
      if (turn.inFlight >= (isSlow ? 1 : limits.deliveriesAtOncePerEndpoint)) continue
      if (isSlow && this.#slowInFlight >= limits.slowDeliveriesAtOnce) {
        this.#held.add(turn)
        continue
      }
      void this.#take(turn, isSlow)
      this.#ready.add(turn)
    }
  }

  async #take(turn: T, isSlow: boolean): Promise<void> {
    turn.inFlight += 1
    this.inFlight += 1
    if (isSlow) this.#slowInFlight += 1
    const { durationMs } = await this.#start(turn)
    turn.inFlight -= 1
    this.inFlight -= 1
    if (durationMs > limits.slowAnswerMs) this.#slow.add(turn.id)
    else this.#slow.delete(turn.id)
    if (isSlow) {
      this.#slowInFlight -= 1
      for (const held of this.#held) this.#ready.add(held)
      this.#held.clear()
    }
    this.#ready.add(turn)
    this.run()
  }
}
