/**
 * What the API has acknowledged about an endpoint holds for every attempt that begins later, in
 * every process: an attempt begins with settings that were read, or found unchanged, within
 * `endpointSettingsMaxAgeMs`, and a change is acknowledged when that time has passed. One statement
 * checks all endpoints with deliveries to send, so it costs the same for one attempt and for
 * hundreds.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { leasedVersions } from '../store/webhooks/delivery-queue.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import type { HeldQueues } from './held-queues.ts'

interface Checked {
  owner: string
  held: HeldQueues
  /** Called when queues wait for a renewal, since their settings may have changed. */
  onStale(): void
}

/** Makes sure that the settings of the queue are current, or that it waits for a renewal. */
export type CheckSettings = (queue: EndpointQueue) => Promise<void>

export const openSettingsCheck = (
  { database, log }: Context,
  { owner, held, onStale }: Checked,
): CheckSettings => {
  let running: Promise<void> | undefined
  const check = async () => {
    // The others send nothing: those that are lost would ask for a renewal again and again.
    const queues = held.all().filter((queue) => queue.waitingCount() > 0)
    const ids = queues.map(({ id }) => id)
    const readAtMs = performance.now()
    // On a connection without statements of tasks, which may take longer than settings last.
    const versions = await leasedVersions(database.read, owner, ids).catch((error: unknown) => {
      log.error({ error, task: 'deliver-webhooks' }, 'task_failed')
      return undefined
    })
    for (const queue of queues) queue.compareVersion(versions?.get(queue.id), readAtMs)
    if (queues.some((queue) => queue.isStale)) onStale()
  }
  return async (queue) => {
    // The queue may have got its deliveries after that check began.
    await running
    if (queue.isCurrent()) return
    running ??= check().finally(() => (running = undefined))
    await running
  }
}

/** Resolves when no worker begins an attempt with settings from before this moment. */
export const untilChangeHolds = (): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, limits.endpointChangeWaitMs))
