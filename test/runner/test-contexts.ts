/**
 * Makes node:test find the test that code belongs to by AsyncLocalStorage. By itself it follows
 * every promise with a hook, which costs the suite a tenth of its CPU time. It is loaded before
 * node:test, with --import.
 */
import asyncHooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { isPromise } from 'node:util/types'

type Callbacks = Required<Pick<asyncHooks.HookCallbacks, 'init' | 'destroy'>>

const { createHook, executionAsyncId } = asyncHooks
const { runInAsyncScope } = AsyncResource.prototype
const idOfTest = new AsyncLocalStorage<number>()
/** The tests of the file so far, in the order in which they have begun. */
const begun = new Set<number>()
const running: number[] = []
let tests: Callbacks | undefined
let hasThrown = false

/** Takes the place of the hook of node:test, and tells it of tests alone. */
const hookOfTests = (callbacks: asyncHooks.HookCallbacks): asyncHooks.AsyncHook => {
  tests = callbacks as Callbacks
  const hook: asyncHooks.AsyncHook = {
    enable: () => hook,
    disable: () => {
      // The file has ended, and nothing of it is kept.
      for (const id of begun) tests!.destroy(id)
      begun.clear()
      return hook
    },
  }
  return hook
}

/** A test that takes a callback returns no promise, and node:test refuses one that does. */
const untilDone = (id: number, work: () => unknown): unknown => {
  running.push(id)
  const end = () => void running.splice(running.indexOf(id), 1)
  let result: unknown
  try {
    result = work()
  } finally {
    if (!isPromise(result)) end()
  }
  return isPromise(result) ? result.finally(end) : result
}

/** A test, a suite or a hook of node:test, or the root of them. */
interface TestResource extends AsyncResource {
  reportedType: string
  parent: object | null
  hookType?: string
}

/** The root imports files: what they throw outside of tests is none of its own, and is told of. */
const isTest = (resource: AsyncResource): resource is TestResource => {
  if (!('reportedType' in resource)) return false
  const { parent, hookType } = resource as TestResource
  return parent !== null || hookType !== undefined
}

AsyncResource.prototype.runInAsyncScope = function (this: AsyncResource, fn, ...given) {
  if (!isTest(this)) return Reflect.apply(runInAsyncScope, this, [fn, ...given])
  const id = this.asyncId()
  if (!begun.has(id)) tests!.init(id, 'Test', 0, this)
  begun.add(id)
  // The scope has the context in which the test was made, so its own is set within.
  const inContext = function (this: unknown, ...args: unknown[]) {
    return idOfTest.run(id, () => Reflect.apply(fn, this, args))
  }
  const work = () => Reflect.apply(runInAsyncScope, this, [inContext, ...given])
  return this.reportedType === 'test' ? untilDone(id, work) : work()
}

/** What is thrown from a timer or a socket has lost its test, and is told of the one that runs. */
const idOfThrower = (): number | undefined => {
  const id = hasThrown ? running.at(-1) : undefined
  hasThrown = false
  return id
}

process.on('uncaughtExceptionMonitor', () => void (hasThrown = true))
Object.assign(asyncHooks, {
  createHook: hookOfTests,
  executionAsyncId: () => idOfTest.getStore() ?? idOfThrower() ?? executionAsyncId(),
})
createRequire(import.meta.url)('node:test')
Object.assign(asyncHooks, { createHook, executionAsyncId })
