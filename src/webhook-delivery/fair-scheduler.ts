/**
 * Whose delivery starts next. Endpoints take turns, one delivery each; of one endpoint a bounded
 * number is in flight. An attempt that takes long makes its endpoint slow, and no longer counts
 * among the fast: a slow endpoint gets one at a time, of a share that is apart. So however many
 * hang, there is room for those that do not.
 */
import { limits } from '../contract/limits.ts'

/** What takes turns: the deliveries in hand for one endpoint. */
export interface Turn {
  readonly id: string
  /** How many wait; a turn with none is passed over. */
  waiting(): number
  inFlight: number
}

interface Flight<T> {
  turn: T
  since: number
  isSlow: boolean
}

export class Turns<T extends Turn> {
  readonly #start: (turn: T) => Promise<void>
  /** In the order of their turns. */
  readonly #ready = new Set<T>()
  /** Slow ones for which there is no room now. */
  readonly #held = new Set<T>()
  readonly #slow = new Set<string>()
  /** The oldest first. */
  readonly #fastFlights = new Set<Flight<T>>()
  #slowFlights = 0

  constructor(start: (turn: T) => Promise<void>) {
    this.#start = start
  }

  get inFlight(): number {
    return this.#fastFlights.size + this.#slowFlights
  }

  /** Its last answers took long, or do. */
  isSlow(id: string): boolean {
    return this.#slow.has(id)
  }

  /** It has something waiting. */
  offer(turn: T): void {
    this.#ready.add(turn)
  }

  /** Starts what there is room for. */
  run(): void {
    const now = performance.now()
    this.#noticeSlow(now)
    // What is added again while the loop runs comes last, and is visited again.
    for (const turn of this.#ready) {
      const isFull = this.#fastFlights.size >= limits.fastDeliveriesAtOnce
      if (isFull || this.inFlight >= limits.deliveriesAtOnce) return
      this.#ready.delete(turn)
      const isSlow = this.#slow.has(turn.id)
      if (turn.waiting() === 0) continue
      if (turn.inFlight >= (isSlow ? 1 : limits.deliveriesAtOncePerEndpoint)) continue
      if (isSlow && this.#slowFlights >= limits.slowDeliveriesAtOnce) {
        this.#held.add(turn)
        continue
      }
      void this.#take({ turn, since: now, isSlow })
      this.#ready.add(turn)
    }
  }

  #noticeSlow(now: number): void {
    for (const flight of this.#fastFlights) {
      if (now - flight.since < limits.slowAnswerMs) return
      this.#fastFlights.delete(flight)
      this.#slowFlights += 1
      flight.isSlow = true
      this.#slow.add(flight.turn.id)
    }
  }

  async #take(flight: Flight<T>): Promise<void> {
    const { turn, since } = flight
    turn.inFlight += 1
    if (flight.isSlow) this.#slowFlights += 1
    else this.#fastFlights.add(flight)
    await this.#start(turn)
    turn.inFlight -= 1
    if (performance.now() - since < limits.slowAnswerMs) this.#slow.delete(turn.id)
    if (flight.isSlow) {
      this.#slowFlights -= 1
      for (const held of this.#held) this.#ready.add(held)
      this.#held.clear()
    } else this.#fastFlights.delete(flight)
    this.#ready.add(turn)
    this.run()
  }
}
