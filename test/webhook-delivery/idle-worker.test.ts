/** A worker that holds no endpoint waits for its next poll, instead of asking the clock again. */
import { test } from 'node:test'
import { InterruptibleSleep } from '../../src/webhook-delivery/interruptible-sleep.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

test('a worker without deliveries sleeps until the next poll', async (t) => {
  const sleeps: number[] = []
  const { sleep } = InterruptibleSleep.prototype
  t.mock.method(
    InterruptibleSleep.prototype,
    'sleep',
    function (this: InterruptibleSleep, ms: number) {
      sleeps.push(ms)
      return sleep.call(this, ms)
    },
  )
  await startTestService()
  await until('it sleeps', () => sleeps.filter((ms) => ms > 0).length >= 3)
})
