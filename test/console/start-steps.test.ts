/** A start that fails before the first test is understood from the log of the tests alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepsOf } from '../support/processes/program.ts'

test('a step that fails is named, with the last that the program has said', async () => {
  const step = stepsOf(() => `${'.'.repeat(5_000)}0.61 s  starting PostgreSQL`)
  const late = () => Promise.reject(new Error('did not happen in 180000 ms'))
  await assert.rejects(step('the service starts', late), ({ message }: Error) => {
    assert.match(message, /^the service starts: did not happen in 180000 ms\n/)
    assert.match(message, /starting PostgreSQL$/)
    return message.length < 4_200
  })
  assert.equal(await step('the service starts', async () => 'its address'), 'its address')
})
