/**
 * The delivery worker of one process. One loop talks to the database, in turns: record what was
 * sent, take what is due; between the two nothing else touches what is in hand. Sending goes on
 * beside it. Whatever breaks, an attempt that was not recorded is made again: a second delivery is
 * allowed, a lost one is not.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { encodeId } from '../core/ids.ts'
import { newId, pooledRandomBytes } from '../database/new-ids.ts'
import { type Connection, inTransaction } from '../database/sql.ts'
import {
  type DueDelivery,
  type LeasedEndpoint,
  claimEndpoints,
  dueDeliveries,
  fanOut,
  leaseEndpoints,
  lockEndpoints,
  lockOwnEndpoints,
  applyHealthUpdates,
  recordAttempts,
  releaseAllLeases,
  renewLeases,
  skipDueOfDisabled,
} from '../store/webhooks/delivery-queue.ts'
import { feedChannel } from '../store/webhooks/feed-notify.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { type LeaseTerms, InFlightDeliveries } from './in-flight.ts'
import {
  type SentOutcome,
  countsTowardDisabling,
  attemptOutcomeOf,
  healthUpdatesOf,
} from './endpoint-health.ts'
import { FairScheduler } from './fair-scheduler.ts'

export interface DeliveryWorker {
  /** Takes no more, lets attempts under way end, records them and lets go of everything. */
  stop(): Promise<void>
}

export const startDeliveryWorker = (context: Context): DeliveryWorker => {
  const worker = new WorkerLoop(context)
  const ended = worker.run()
  return {
    stop: () => {
      worker.stop()
      return ended
    },
  }
}

class WorkerLoop {
  readonly #context: Context
  readonly #owner = newId()
  readonly #database
  readonly #scheduler = new FairScheduler<EndpointQueue>((queue) => this.#send(queue))
  readonly #inFlight: InFlightDeliveries
  #unrecorded: SentOutcome[] = []
  #pollAtMs = 0
  /** The endpoint at which the last look ended. */
  #polledUpTo = '00000000-0000-0000-0000-000000000000'
  #pollTookMs = 0
  #backoffUntilMs = 0
  #renewAtMs = 0
  #isStopped = false
  #isWoken = false
  #wake: () => void = () => {}

  constructor(context: Context) {
    this.#context = context
    this.#inFlight = new InFlightDeliveries({
      outbound: context.outbound,
      secretKey: context.keyring.webhookSecrets,
      allowsPrivate: context.config.webhooks.allowsPrivate,
      isSlow: (webhook) => this.#scheduler.isSlow(webhook),
    })
    this.#database = context.database.dedicated('docex deliveries')
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#context.database.listen(feedChannel, () => this.#pollWithin(0))
        await this.#tick()
      } catch (error) {
        this.#context.log.error('task_failed', error, { task: 'deliver-webhooks' })
        this.#pollAtMs = performance.now() + limits.workerPollMs
        await this.#sleep(limits.workerPollMs)
      }
    }
    await this.#drain()
  }

  stop(): void {
    this.#isStopped = true
    for (const queue of this.#inFlight.all()) this.#inFlight.returnToQueue(queue)
    this.#wakeUp()
  }

  async #tick(): Promise<void> {
    this.#scheduler.dispatch()
    await this.#record()
    const now = performance.now()
    const queues = this.#inFlight.all()
    if (queues.length > 0 && now >= this.#renewAtMs) await this.#renew()
    const isPolling = now >= Math.max(this.#pollAtMs, this.#backoffUntilMs) && this.#canPoll()
    const refilling = queues
      .filter((queue) => queue.needsRefill())
      .slice(0, limits.refillEndpointsMax)
    if (isPolling || refilling.length > 0) await this.#fetchDue(refilling, isPolling)
    if (this.#unrecorded.length > 0 || this.#inFlight.drained(new Map()).length > 0) return
    // Looking takes as long as there are endpoints: it must not be all that is done.
    const next = Math.max(this.#pollAtMs, this.#backoffUntilMs)
    await this.#sleep(Math.min(next, this.#renewAtMs) - performance.now())
  }

  #canPoll(): boolean {
    const hasRoom = this.#inFlight.hasRoom()
    if (!hasRoom) this.#backoffUntilMs = performance.now() + limits.inFlightFullPauseMs
    return hasRoom
  }

  /** Attempts under way may take their full time; nothing new is started. */
  async #drain(): Promise<void> {
    try {
      while (this.#scheduler.inFlight > 0 || this.#unrecorded.length > 0) {
        await this.#record()
        if (this.#scheduler.inFlight > 0 && this.#unrecorded.length === 0) {
          await this.#sleep(limits.workerPollMs)
        }
      }
      await this.#transaction((tx) => releaseAllLeases(tx, this.#owner))
    } catch (error) {
      // The leases run out by themselves; what was not recorded is sent again.
      this.#context.log.error('task_failed', error, { task: 'deliver-webhooks' })
    }
    for (const queue of this.#inFlight.all()) this.#inFlight.release(queue)
  }

  async #send(queue: EndpointQueue): Promise<void> {
    const due = queue.dequeue()
    const attempted = await queue.send(due)
    const outcome = attemptOutcomeOf(due, attempted, {
      scheduleMs: this.#context.config.webhooks.retryDelaysMs,
      nowMs: Date.now(),
      chance: pooledRandomBytes(4).readUInt32BE() / 2 ** 32,
    })
    this.#unrecorded.push({ ...outcome, countsTowardDisabling: countsTowardDisabling(due) })
    queue.unrecorded += 1
    this.#context.metrics.count('docex_webhook_attempts_total', `status="${outcome.status}"`)
    this.#wakeUp()
  }

  async #record(): Promise<void> {
    const sent = this.#unrecorded.slice(0, limits.recordMaxDeliveries)
    const counts = new Map<string, number>()
    for (const { webhook_id } of sent) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1)
    const done = this.#inFlight.drained(counts)
    if (sent.length === 0 && done.length === 0) return
    const released = new Map(done.map((queue) => [queue.id, queue.nextDueMs()]))
    const updates = healthUpdatesOf(sent, released)
    const ids = updates.map(({ webhook_id }) => webhook_id)
    const [, , disabled] = await this.#transaction((tx) =>
      Promise.all([
        lockEndpoints(tx, ids),
        recordAttempts(tx, sent),
        applyHealthUpdates(tx, this.#owner, updates),
      ]),
    )
    this.#unrecorded = this.#unrecorded.slice(sent.length)
    for (const one of sent) {
      this.#inFlight.noteRecorded(one)
      if (one.retry_ms !== null) this.#pollWithin(one.retry_ms)
    }
    for (const queue of done) this.#inFlight.release(queue)
    for (const dueMs of released.values()) if (dueMs !== null) this.#pollWithin(dueMs)
    for (const id of disabled) {
      const queue = this.#inFlight.get(id)
      if (queue !== undefined) this.#inFlight.returnToQueue(queue)
    }
  }

  async #renew(): Promise<void> {
    const until = performance.now() + limits.workerLeaseMs
    const database = await this.#database.get()
    const renewed = new Map(
      (await renewLeases(database, this.#owner)).map((endpoint) => [endpoint.id, endpoint]),
    )
    this.#renewAtMs = performance.now() + limits.workerRenewMs
    for (const queue of this.#inFlight.all()) {
      const endpoint = renewed.get(queue.id)
      if (endpoint !== undefined) queue.renew(endpoint, until)
      // Taken over, or deleted: whoever has it now sends what is left.
      const isLost = endpoint === undefined || endpoint.status === 'DISABLED'
      if (isLost || !queue.canOpenSecrets()) this.#inFlight.returnToQueue(queue)
      this.#scheduler.offer(queue)
    }
    this.#scheduler.dispatch()
  }

  async #fetchDue(refilling: readonly EndpointQueue[], isPolling: boolean): Promise<void> {
    const startedAt = performance.now()
    const full = this.#inFlight.all().filter((queue) => queue.isFull())
    if (isPolling) {
      const idleMs = Math.max(limits.workerPollMs, limits.pollIdleFactor * this.#pollTookMs)
      this.#pollAtMs = startedAt + idleMs
    }
    const fetched = await this.#transaction(async (tx) => {
      const own = await lockOwnEndpoints(tx, this.#owner, idsOf(refilling))
      const found = isPolling ? await this.#poll(tx, full) : []
      const ids = [...new Set([...own, ...found])]
      const idle = ids.filter((id) => this.#inFlight.get(id) === undefined)
      if (ids.length === 0) return undefined
      const wantedLimits = ids.map((id) => this.#inFlight.fetchLimit(id))
      const [more, , due, leased] = await Promise.all([
        fanOut(tx, ids),
        skipDueOfDisabled(tx, idle),
        dueDeliveries(tx, wantedLimits),
        leaseEndpoints(tx, this.#owner, ids),
      ])
      const fetchLimits = new Map(wantedLimits.map((one) => [one.id, one.max]))
      return {
        more: new Set(more),
        due: Map.groupBy(due, (one) => one.webhook_id),
        leased,
        most: fetchLimits,
      }
    })
    // What they were not told of is for them to ask for, once they have room.
    if (isPolling) for (const queue of full) queue.mayHaveMore = true
    if (fetched === undefined) return
    const leasedUntilMs = startedAt + limits.workerLeaseMs
    for (const endpoint of fetched.leased) {
      const { id } = endpoint
      this.#hold(endpoint, fetched.due.get(id) ?? [], {
        fetchLimit: fetched.most.get(id)!,
        leasedUntilMs,
      })
      if (!fetched.more.has(id)) continue
      if (endpoint.status === 'DISABLED') this.#pollWithin(0)
      else this.#inFlight.get(id)!.noteMoreToFanOut()
    }
    this.#scheduler.dispatch()
  }

  /** Where there is more to be found, the next look does not wait. */
  async #poll(tx: Connection, full: readonly EndpointQueue[]): Promise<string[]> {
    const startedAt = performance.now()
    const after = this.#polledUpTo
    const found = await claimEndpoints(tx, { owner: this.#owner, full: idsOf(full), after })
    const now = performance.now()
    this.#polledUpTo = found.at(-1) ?? after
    this.#pollTookMs = now - startedAt
    if (found.length === limits.claimEndpointsMax) this.#pollWithin(0)
    else this.#backoffUntilMs = now + limits.pollBackoffFactor * this.#pollTookMs
    return found
  }

  #hold(endpoint: LeasedEndpoint, due: readonly DueDelivery[], held: LeaseTerms): void {
    if (endpoint.status === 'DISABLED') {
      const queue = this.#inFlight.get(endpoint.id)
      if (queue !== undefined) this.#inFlight.returnToQueue(queue)
      return
    }
    const queue = this.#inFlight.hold(endpoint, due, held)
    if (queue.canOpenSecrets()) return this.#scheduler.offer(queue)
    // A fault of ours: it costs the delivery no attempt.
    this.#inFlight.returnToQueue(queue)
    const error = new Error('the signing secret of an endpoint cannot be opened')
    const webhook = encodeId('whk', endpoint.id)
    this.#context.log.error('webhook_secret_unreadable', error, { webhook })
  }

  async #transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T> {
    return inTransaction(await this.#database.get(), work)
  }

  #pollWithin(inMs: number): void {
    this.#pollAtMs = Math.min(this.#pollAtMs, performance.now() + inMs)
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Waits until there is something to do, or so long. */
  async #sleep(atMostMs: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, atMostMs))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isWoken = false
  }
}

const idsOf = (queues: readonly EndpointQueue[]): string[] => queues.map(({ id }) => id)
