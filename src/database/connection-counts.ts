/** How many connections a process opens at most, and what for. */
import { limits } from '../contract/limits.ts'
import { workClasses } from '../contract/work-classes.ts'

/** Those whose statements come from many callers. */
export const sharedConnections = {
  callers: 1,
  read: limits.readConnections,
  background: 1,
  lists: limits.readConnections,
  pages: limits.readConnections,
} as const

/** Of the worker that delivers webhooks, and of the listeners: to its feed, and to connections. */
const workerAndListeners = 3

const { credentials, writes, heavy } = workClasses

export const connectionsMax =
  Object.values(sharedConnections).reduce((sum, count) => sum + count, 0) +
  (credentials.running + writes.running + heavy.running) +
  limits.backgroundConnections +
  limits.lanes +
  workerAndListeners
