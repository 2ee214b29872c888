/** The background work of one process: the tasks, and the worker that delivers webhooks. */
import type { Context } from './context.ts'
import { tasks } from './tasks/index.ts'
import { type Runner, runTasks } from './tasks/runner.ts'
import { followServerKeys } from './tasks/server-keys.ts'
import { startDeliveryWorker } from './webhook-delivery/worker.ts'

export interface Background extends Runner {
  /** Deliveries go to another process at once, while requests are still answered. */
  stopDeliveries(): Promise<void> | undefined
}

/** Starts the tasks and the delivery worker, except in a process that is only an API. */
export const startBackground = (context: Context): Background => {
  const { role, families, webhooks } = context.config
  if (webhooks.reach !== 'public') {
    context.log.info({ only_for: 'sandbox', reach: webhooks.reach }, 'webhooks_may_be_private')
  }
  const isWorker = role !== 'api'
  const runner = runTasks(context, isWorker ? [followServerKeys, ...tasks] : [followServerKeys])
  const sends = isWorker && families.has('webhooks')
  const deliveries = sends ? startDeliveryWorker(context) : undefined
  const stopDeliveries = () => deliveries?.stop()
  const stop = async () => void (await Promise.all([runner.stop(), stopDeliveries()]))
  return { stop, stopDeliveries }
}
