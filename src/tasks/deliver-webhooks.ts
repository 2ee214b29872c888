/**
 * The delivery worker of one process. One loop talks to the database, in turns: record what was
 * sent, take what is due; between the two nothing else touches what is in hand. Sending goes on
 * beside it. Whatever breaks, an attempt that was not recorded is made again: a second delivery is
 * allowed, a lost one is not.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { encodeId } from '../core/ids.ts'
import { newId, randomPart } from '../randomness.ts'
import { type Connection, inTransaction } from '../sql.ts'
import {
  type Due,
  type Leased,
  claimEndpoints,
  dueDeliveries,
  fanOut,
  leaseEndpoints,
  lockEndpoints,
  lockOwnEndpoints,
  noteStandings,
  recordAttempts,
  releaseAll,
  renewLeases,
  skipDue,
} from '../store/delivery-queue.ts'
import { feedChannel } from '../store/feed-notice.ts'
import { Hand, type Means } from './hand.ts'
import { type Sent, countsToward, metBy, standingsOf } from './standings.ts'
import { Turns } from './turns.ts'

export interface Deliveries {
  /** Takes no more, lets attempts under way end, records them and lets go of everything. */
  stop(): Promise<void>
}

export const openDeliveries = (context: Context): Deliveries => {
  const worker = new Worker(context)
  const ended = worker.run()
  return {
    stop: () => {
      worker.stop()
      return ended
    },
  }
}

class Worker {
  readonly #context: Context
  readonly #means: Means
  readonly #owner = newId()
  readonly #database
  readonly #hands = new Map<string, Hand>()
  readonly #turns = new Turns<Hand>((hand) => this.#send(hand))
  /** Deliveries that are in some hand or not recorded yet: they are not taken twice. */
  readonly #inHand = new Set<string>()
  #sent: Sent[] = []
  #lookAtMs = 0
  #restUntilMs = 0
  #renewAtMs = 0
  #isStopped = false
  #isCalled = false
  #wake: () => void = () => {}

  constructor(context: Context) {
    this.#context = context
    this.#means = {
      outbound: context.outbound,
      secretKey: context.keyring.endpoints,
      allowsPrivate: context.config.webhooks.allowsPrivate,
    }
    this.#database = context.database.dedicated('docex deliveries')
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#context.database.hear(feedChannel, () => this.#lookSoon(0))
        await this.#round()
      } catch (error) {
        this.#context.log.failure('task_failed', error, { task: 'deliver-webhooks' })
        this.#lookAtMs = performance.now() + limits.workerPollMs
        await this.#called(limits.workerPollMs)
      }
    }
    await this.#wind()
  }

  stop(): void {
    this.#isStopped = true
    for (const hand of this.#hands.values()) hand.putBack()
    this.#call()
  }

  async #round(): Promise<void> {
    this.#turns.run()
    await this.#record()
    const now = performance.now()
    if (this.#hands.size > 0 && now >= this.#renewAtMs) await this.#renew()
    const isLooking = now >= Math.max(this.#lookAtMs, this.#restUntilMs)
    const wanted = [...this.#hands.values()].filter((hand) => hand.wantsMore())
    if (isLooking || wanted.length > 0) await this.#take(wanted, isLooking)
    if (this.#sent.length > 0 || this.#done(new Map()).length > 0) return
    // Looking takes as long as there are endpoints: it must not be all that is done.
    const next = Math.max(this.#lookAtMs, this.#restUntilMs)
    await this.#called(Math.min(next, this.#renewAtMs) - performance.now())
  }

  /** Attempts under way may take their full time; nothing new is started. */
  async #wind(): Promise<void> {
    try {
      while (this.#turns.inFlight > 0 || this.#sent.length > 0) {
        await this.#record()
        if (this.#turns.inFlight > 0 && this.#sent.length === 0) {
          await this.#called(limits.workerPollMs)
        }
      }
      await this.#transaction((tx) => releaseAll(tx, this.#owner))
    } catch (error) {
      // The leases run out by themselves; what was not recorded is sent again.
      this.#context.log.failure('task_failed', error, { task: 'deliver-webhooks' })
    }
    for (const hand of this.#hands.values()) hand.close()
  }

  async #send(hand: Hand): Promise<void> {
    const due = hand.next()
    const attempted = await hand.send(due)
    const met = metBy(due, attempted, {
      scheduleMs: this.#context.config.webhooks.retryMs,
      nowMs: Date.now(),
      chance: randomPart(4).readUInt32BE() / 2 ** 32,
    })
    this.#sent.push({ ...met, counts: countsToward(due) })
    hand.unrecorded += 1
    this.#context.metrics.count('docex_webhook_attempts_total', `status="${met.status}"`)
    this.#call()
  }

  async #record(): Promise<void> {
    const sent = this.#sent.slice(0, limits.recordMaxDeliveries)
    const counts = new Map<string, number>()
    for (const { webhook_id } of sent) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1)
    const done = this.#done(counts)
    if (sent.length === 0 && done.length === 0) return
    const released = new Map(done.map((hand) => [hand.id, hand.dueAgainMs()]))
    const standings = standingsOf(sent, released)
    const ids = standings.map(({ webhook_id }) => webhook_id)
    const [, , disabled] = await this.#transaction((tx) =>
      Promise.all([
        lockEndpoints(tx, ids),
        recordAttempts(tx, sent),
        noteStandings(tx, this.#owner, standings),
      ]),
    )
    this.#sent = this.#sent.slice(sent.length)
    for (const { delivery_id, webhook_id, retry_ms } of sent) {
      this.#inHand.delete(delivery_id)
      const hand = this.#hands.get(webhook_id)
      if (hand !== undefined) hand.noteRecorded()
      if (retry_ms !== null) this.#lookSoon(retry_ms)
    }
    for (const hand of done) this.#letGo(hand)
    for (const againMs of released.values()) if (againMs !== null) this.#lookSoon(againMs)
    for (const id of disabled) {
      const hand = this.#hands.get(id)
      if (hand !== undefined) this.#forget(hand)
    }
  }

  /** Hands of which nothing is left but for what is about to be recorded. */
  #done(recorded: ReadonlyMap<string, number>): Hand[] {
    return [...this.#hands.values()].filter((hand) => hand.isDone(recorded.get(hand.id) ?? 0))
  }

  async #renew(): Promise<void> {
    const until = performance.now() + limits.workerLeaseMs
    const database = await this.#database.get()
    const kept = new Map(
      (await renewLeases(database, this.#owner)).map((endpoint) => [endpoint.id, endpoint]),
    )
    this.#renewAtMs = performance.now() + limits.workerRenewMs
    for (const hand of this.#hands.values()) {
      const endpoint = kept.get(hand.id)
      if (endpoint !== undefined) hand.renew(endpoint, until)
      // Taken over, or deleted: whoever has it now sends what is left.
      const isOver = endpoint === undefined || endpoint.status === 'DISABLED'
      if (isOver || !hand.canOpenSecrets()) this.#forget(hand)
      this.#turns.offer(hand)
    }
    this.#turns.run()
  }

  /** What is in hand unsent goes back; what is under way ends and is recorded. */
  #forget(hand: Hand): void {
    for (const id of hand.putBack()) this.#inHand.delete(id)
    hand.mayHaveMore = false
  }

  async #take(wanted: readonly Hand[], isLooking: boolean): Promise<void> {
    const startedAt = performance.now()
    const full = [...this.#hands.values()].filter((hand) => hand.isFull())
    if (isLooking) this.#lookAtMs = startedAt + limits.workerPollMs
    const taken = await this.#transaction(async (tx) => {
      const own = await lockOwnEndpoints(tx, this.#owner, idsOf(wanted))
      const found = isLooking ? await claimEndpoints(tx, this.#owner, idsOf(full)) : []
      const ids = [...new Set([...own, ...found])]
      const idle = ids.filter((id) => !this.#hands.has(id))
      if (found.length === limits.claimEndpointsMax) this.#lookSoon(0)
      if (ids.length === 0) return undefined
      const [more, , due, leased] = await Promise.all([
        fanOut(tx, ids),
        skipDue(tx, idle),
        dueDeliveries(tx, ids),
        leaseEndpoints(tx, this.#owner, ids),
      ])
      return { more: new Set(more), due: Map.groupBy(due, (one) => one.webhook_id), leased }
    })
    if (isLooking) {
      const now = performance.now()
      this.#restUntilMs = now + limits.lookRestFactor * (now - startedAt)
      // What they were not told of is for them to ask for, once they have room.
      for (const hand of full) hand.mayHaveMore = true
    }
    if (taken === undefined) return
    for (const endpoint of taken.leased) {
      const due = taken.due.get(endpoint.id) ?? []
      this.#hold(endpoint, due, startedAt + limits.workerLeaseMs)
      if (!taken.more.has(endpoint.id)) continue
      if (endpoint.status === 'DISABLED') this.#lookSoon(0)
      else this.#hands.get(endpoint.id)!.hasMoreToFanOut()
    }
    this.#turns.run()
  }

  #hold(endpoint: Leased, due: readonly Due[], leasedUntilMs: number): void {
    let hand = this.#hands.get(endpoint.id)
    if (endpoint.status === 'DISABLED') {
      if (hand !== undefined) this.#forget(hand)
      return
    }
    if (hand === undefined) {
      hand = new Hand(endpoint, this.#means)
      this.#hands.set(endpoint.id, hand)
    }
    hand.renew(endpoint, leasedUntilMs)
    const fresh = due.filter(({ id }) => !this.#inHand.has(id))
    for (const { id } of fresh) this.#inHand.add(id)
    hand.add(fresh)
    hand.isExhausted = fresh.length === 0
    const waiting = Number(due[0]?.waiting ?? 0)
    hand.mayHaveMore = due.length < waiting || waiting >= limits.claimDeliveriesPerEndpoint
    if (hand.canOpenSecrets()) return this.#turns.offer(hand)
    // A fault of ours: it costs the delivery no attempt.
    this.#forget(hand)
    const error = new Error('the signing secret of an endpoint cannot be opened')
    const webhook = encodeId('whk', endpoint.id)
    this.#context.log.failure('webhook_secret_unreadable', error, { webhook })
  }

  #letGo(hand: Hand): void {
    hand.close()
    this.#hands.delete(hand.id)
  }

  async #transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T> {
    return inTransaction(await this.#database.get(), work)
  }

  #lookSoon(inMs: number): void {
    this.#lookAtMs = Math.min(this.#lookAtMs, performance.now() + inMs)
    this.#call()
  }

  #call(): void {
    this.#isCalled = true
    this.#wake()
  }

  /** Waits until there is something to do, or so long. */
  async #called(atMostMs: number): Promise<void> {
    if (!this.#isCalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, atMostMs))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isCalled = false
  }
}

const idsOf = (hands: readonly Hand[]): string[] => hands.map(({ id }) => id)
