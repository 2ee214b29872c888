/**
 * The delivery worker of one process. A single loop talks to the database: it alternates between
 * recording attempts and fetching due deliveries, while sending goes on concurrently. Whatever
 * breaks, an unrecorded attempt is made again: a second delivery is allowed, a lost one is not.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { backoffMs } from '../core/backoff.ts'
import { encodeId } from '../core/ids.ts'
import { newId, randomFraction } from '../database/new-ids.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import type { Connection } from '../database/sql.ts'
import { inTransaction } from '../database/transactions.ts'
import * as store from '../store/webhooks/delivery-queue.ts'
import { type DueDelivery, dueDeliveries } from '../store/webhooks/due-deliveries.ts'
import { feedChannel } from '../store/webhooks/feed-notify.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { type FetchTerms, HeldQueues } from './held-queues.ts'
import { type SentOutcome, attemptOutcomeOf, countsTowardDisabling } from './endpoint-health.ts'
import { FairScheduler } from './fair-scheduler.ts'
import { InterruptibleSleep } from './interruptible-sleep.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { type CheckSettings, openSettingsCheck } from './settings-check.ts'

export interface DeliveryWorker {
  /** Starts nothing new, waits for attempts in flight, records them and releases all leases. */
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
  readonly #held: HeldQueues
  readonly #checkSettings: CheckSettings
  #unrecorded: SentOutcome[] = []
  #pollAtMs = 0
  /** The last endpoint that polling has reached. */
  #polledUpTo = '00000000-0000-0000-0000-000000000000'
  #pollTookMs = 0
  #backoffUntilMs = 0
  #renewAtMs = 0
  /** In a row, since the database was last of use: a tick may ask it nothing. */
  #failures = 0
  #isStopped = false
  readonly #idle = new InterruptibleSleep()

  constructor(context: Context) {
    this.#context = context
    this.#held = new HeldQueues({
      outbound: context.outbound,
      secretKeys: context.keyring.webhookSecrets,
      sandboxReach: context.config.webhooks.reach,
      isSlow: (webhook) => this.#scheduler.isSlow(webhook),
    })
    this.#database = context.database.dedicated('docex deliveries')
    this.#checkSettings = openSettingsCheck(context, {
      owner: this.#owner,
      held: this.#held,
      onStale: () => this.#idle.wakeUp(),
    })
  }

  async run(): Promise<void> {
    const backoff = { firstMs: limits.workerPollMs, maxMs: limits.taskRetryMaxMs }
    while (!this.#isStopped) {
      try {
        await this.#context.database.listen(feedChannel, () => this.#pollWithin(0))
        await this.#tick()
      } catch (error) {
        this.#failures += 1
        const retry_ms = backoffMs(backoff, this.#failures, randomFraction())
        this.#context.log.error({ error, task: 'deliver-webhooks', retry_ms }, 'task_failed')
        this.#pollAtMs = performance.now() + retry_ms
        await this.#idle.sleep(retry_ms)
      }
    }
    await this.#drain()
  }

  stop(): void {
    this.#isStopped = true
    this.#returnAll()
    this.#idle.wakeUp()
  }

  #returnAll(): void {
    for (const queue of this.#held.all()) this.#held.returnToQueue(queue)
  }

  async #tick(): Promise<void> {
    // An older database holds events that were delivered before.
    if (this.#context.isRolledBack()) return this.#idle.sleep(limits.workerPollMs)
    this.#scheduler.dispatch()
    await this.#record()
    const now = performance.now()
    if (now >= this.#held.nextRenewalMs(this.#renewAtMs)) await this.#renew()
    const isPolling = now >= Math.max(this.#pollAtMs, this.#backoffUntilMs) && this.#canPoll()
    const refilling = this.#held.refilling()
    if (isPolling || refilling.length > 0) await this.#fetchDue(refilling, isPolling)
    if (this.#unrecorded.length > 0 || this.#held.drained(new Map()).length > 0) return
    // A poll takes longer the more endpoints there are: the backoff leaves time for other work.
    const nextPollMs = Math.max(this.#pollAtMs, this.#backoffUntilMs)
    const nextMs = Math.min(nextPollMs, this.#held.nextRenewalMs(this.#renewAtMs))
    await this.#idle.sleep(nextMs - performance.now())
  }

  #canPoll(): boolean {
    const hasRoom = this.#held.hasRoom()
    if (!hasRoom) this.#backoffUntilMs = performance.now() + limits.queuesFullPauseMs
    return hasRoom
  }

  /** Waits for attempts in flight, which may take their full time. */
  async #drain(): Promise<void> {
    try {
      while (this.#scheduler.inFlight > 0 || this.#unrecorded.length > 0) {
        await this.#record()
        if (this.#scheduler.inFlight > 0 && this.#unrecorded.length === 0) {
          await this.#idle.sleep(limits.workerPollMs)
        }
      }
      await this.#transaction((tx) => store.releaseAllLeases(tx, this.#owner))
    } catch (error) {
      // The leases expire by themselves, and unrecorded attempts are made again.
      this.#context.log.error({ error, task: 'deliver-webhooks' }, 'task_failed')
    }
    for (const queue of this.#held.all()) this.#held.release(queue)
  }

  async #send(queue: EndpointQueue): Promise<boolean> {
    if (!queue.isCurrent()) await this.#checkSettings(queue)
    const due = queue.dequeue()
    if (due === undefined) return false
    const { metrics, tracing } = this.#context
    if (due.brokenSeal !== undefined) void this.#context.refuseBrokenSeal(due.brokenSeal)
    const startedAt = performance.now()
    const result = await tracing.span('webhook attempt', { kind: 'client' }, () => queue.send(due))
    const outcome = attemptOutcomeOf(due, result, {
      scheduleMs: this.#context.config.webhooks.retryDelaysMs,
      nowMs: Date.now(),
      random: randomFraction(),
    })
    this.#unrecorded.push({ ...outcome, countsTowardDisabling: countsTowardDisabling(due, result) })
    queue.unrecorded += 1
    const labels = `status="${outcome.status}"`
    metrics.count('docex_webhook_attempts_total', labels)
    const seconds = (performance.now() - startedAt) / 1000
    metrics.observe('docex_webhook_attempt_duration_seconds', labels, seconds)
    this.#idle.wakeUp()
    return true
  }

  async #record(): Promise<void> {
    const sent = this.#unrecorded.slice(0, limits.recordMaxDeliveries)
    const counts = new Map<string, number>()
    for (const { webhook_id } of sent) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1)
    const drained = this.#held.drained(counts)
    if (sent.length === 0 && drained.length === 0) return
    const released = new Map(drained.map((queue) => [queue.id, queue.nextDueMs()]))
    const disabled = await recordOutcomes(
      {
        owner: this.#owner,
        log: this.#context.log,
        transaction: (work) => this.#transaction(work),
      },
      sent,
      released,
    )
    this.#unrecorded = this.#unrecorded.slice(sent.length)
    for (const outcome of sent) {
      this.#held.noteRecorded(outcome)
      if (outcome.retry_ms !== null) this.#pollWithin(outcome.retry_ms)
    }
    for (const queue of drained) this.#held.release(queue)
    for (const dueMs of released.values()) if (dueMs !== null) this.#pollWithin(dueMs)
    for (const id of disabled) this.#held.returnIfHeld(id)
  }

  async #renew(): Promise<void> {
    const readAtMs = performance.now()
    const leasedUntilMs = readAtMs + limits.workerLeaseMs
    const leased = await this.#transaction((tx) => store.renewLeases(tx, this.#owner))
    const renewed = new Map(leased.map((endpoint) => [endpoint.id, endpoint]))
    this.#renewAtMs = performance.now() + limits.workerRenewMs
    for (const queue of this.#held.all()) {
      const endpoint = renewed.get(queue.id)
      if (endpoint !== undefined) queue.renew(endpoint, { leasedUntilMs, readAtMs })
      // Another worker has taken over, or the endpoint is deleted or disabled.
      const isLost = endpoint === undefined || endpoint.status === 'DISABLED'
      if (isLost || !queue.canOpenSecrets()) this.#held.returnToQueue(queue)
      this.#scheduler.offer(queue)
    }
    this.#scheduler.dispatch()
  }

  async #fetchDue(refilling: readonly EndpointQueue[], isPolling: boolean): Promise<void> {
    const startedAt = performance.now()
    const full = this.#held.all().filter((queue) => queue.isFull())
    const idleMs = Math.max(limits.workerPollMs, limits.pollIdleFactor * this.#pollTookMs)
    if (isPolling) this.#pollAtMs = startedAt + idleMs
    const fetched = await this.#transaction(async (tx) => {
      const own = await store.lockOwnEndpoints(tx, this.#owner, idsOf(refilling))
      const claimed = isPolling ? await this.#poll(tx, full) : []
      const ids = [...new Set([...own, ...claimed])]
      if (ids.length === 0) return undefined
      const idle = ids.filter((id) => this.#held.get(id) === undefined)
      const fetchLimits = ids.map((id) => this.#held.fetchLimit(id))
      const [more, , due, leased] = await Promise.all([
        store.fanOut(tx, ids),
        store.skipDueOfDisabled(tx, idle),
        dueDeliveries(tx, fetchLimits),
        store.leaseEndpoints(tx, this.#owner, ids),
      ])
      return {
        lease: { leasedUntilMs: startedAt + limits.workerLeaseMs, readAtMs: performance.now() },
        moreToFanOut: new Set(more),
        due: Map.groupBy(due, ({ webhook_id }) => webhook_id),
        leased,
        fetchLimits: new Map(fetchLimits.map(({ id, max }) => [id, max])),
      }
    })
    // The poll left out full queues: they fetch more once they have room.
    if (isPolling) for (const queue of full) queue.mayHaveMore = true
    if (fetched === undefined) return
    for (const endpoint of fetched.leased) {
      const { id } = endpoint
      const terms = { ...fetched.lease, fetchLimit: fetched.fetchLimits.get(id)! }
      this.#hold(endpoint, fetched.due.get(id) ?? [], terms)
      if (!fetched.moreToFanOut.has(id)) continue
      if (endpoint.status === 'DISABLED') this.#pollWithin(0)
      else this.#held.get(id)!.noteMoreToFanOut()
    }
    if (this.#isStopped) this.#returnAll()
    this.#scheduler.dispatch()
  }

  /** Claims endpoints with work. After a full batch, the next poll does not wait. */
  async #poll(tx: Connection, full: readonly EndpointQueue[]): Promise<string[]> {
    const startedAt = performance.now()
    const after = this.#polledUpTo
    const claimed = await store.claimEndpoints(tx, { owner: this.#owner, full: idsOf(full), after })
    const now = performance.now()
    this.#polledUpTo = claimed.at(-1)?.id ?? after
    this.#pollTookMs = now - startedAt
    // What was read under a lease that was lost may have changed since.
    for (const { id, is_own } of claimed) if (!is_own) this.#held.returnIfHeld(id)
    if (claimed.length === limits.claimEndpointsMax) this.#pollWithin(0)
    else this.#backoffUntilMs = now + limits.pollBackoffFactor * this.#pollTookMs
    return claimed.map(({ id }) => id)
  }

  #hold(endpoint: store.LeasedEndpoint, due: readonly DueDelivery[], terms: FetchTerms): void {
    if (endpoint.status === 'DISABLED') return this.#held.returnIfHeld(endpoint.id)
    const queue = this.#held.hold(endpoint, due, terms)
    if (queue.canOpenSecrets()) return this.#scheduler.offer(queue)
    // Our own fault, so it does not cost the deliveries an attempt.
    this.#held.returnToQueue(queue)
    if (!endpoint.isAsSealed) {
      void this.#context.refuseBrokenSeal(new BrokenSeal('webhook_endpoints', endpoint.id))
      return
    }
    const error = new Error('the signing secret of an endpoint cannot be opened')
    const webhook = encodeId('whk', endpoint.id)
    this.#context.log.error({ error, webhook }, 'webhook_secret_unreadable')
  }

  async #transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T> {
    const result = await inTransaction(await this.#database.get(), work)
    this.#failures = 0
    return result
  }

  #pollWithin(ms: number): void {
    this.#pollAtMs = Math.min(this.#pollAtMs, performance.now() + ms)
    this.#idle.wakeUp()
  }
}

const idsOf = (queues: readonly EndpointQueue[]): string[] => queues.map(({ id }) => id)
