/** What the runner of the whole suite says of a file. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { testServer } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startWorker } from './start-worker.ts'

type Outcome = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

const worker = startWorker(await testServer())
after(() => worker.disconnect())

/** What has passed or failed in a file with this text, as it was reported. */
const outcomesOf = async (text: string) => {
  const file = join(temporaryFolder(), 'example.test.mjs')
  writeFileSync(file, `import { after, test } from 'node:test'\n${text}\n`)
  worker.send(file)
  const [events] = (await once(worker, 'message')) as [TestEvent[]]
  return events.filter(({ type }) => type === 'test:pass' || type === 'test:fail') as Outcome[]
}

/** The messages of what failed in a file with this test. */
const failuresOf = async (body: string): Promise<string[]> => {
  const outcomes = await outcomesOf(`test('an example', () => { ${body} })`)
  return outcomes.flatMap(({ type, data }) =>
    type === 'test:fail' ? [data.details.error.message] : [],
  )
}

test('a file fails when something is thrown or rejected that none of its tests waits for', async () => {
  assert.deepEqual(await failuresOf(''), [])
  const late = [
    `setTimeout(() => { throw new Error('late') })`,
    `Promise.reject(new Error('late'))`,
  ]
  for (const body of late) {
    const [failure = ''] = await failuresOf(body)
    assert.match(failure, /Error: late/, body)
  }
  assert.deepEqual(await failuresOf(''), [])
})

test('a file fails when something is thrown that it began outside of its tests', async () => {
  const early = `process.nextTick(() => { throw new Error('early') })\ntest('a test', () => {})`
  const during = `setTimeout(() => { throw new Error('early') })
    test('a test', () => new Promise((resolve) => setTimeout(resolve, 50)))`
  for (const text of [early, during]) {
    const outcomes = await outcomesOf(text)
    assert(
      outcomes.some(({ type }) => type === 'test:fail'),
      text,
    )
  }
})

test('a test that takes a callback ends when it is called', async () => {
  const outcomes = await outcomesOf(`test('it', (_, done) => { setTimeout(done, 5) })`)
  assert.deepEqual(
    outcomes.map(({ type }) => type),
    ['test:pass'],
  )
})

test('what is thrown while a test runs fails that test at once, wherever it is thrown', async () => {
  for (const thrown of [`throw new Error('early')`, `Promise.reject(new Error('early'))`]) {
    const outcomes = await outcomesOf(`
      test('it waits', () => new Promise(() => { setTimeout(() => { ${thrown} }, 5) }))
      test('the next', () => {})`)
    const told = outcomes.map(({ type, data }) => `${data.name}: ${type}`)
    assert.deepEqual(told, ['it waits: test:fail', 'the next: test:pass'], thrown)
  }
})

test('a test within a test and what follows a test belong to it, also after it has waited', async () => {
  const outcomes = await outcomesOf(`
    let isOver = false
    test('the outer', async (t) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      after(() => { isOver = true })
      await t.test('the inner', async () => {
        await undefined
        await test('the innermost', () => {})
      })
      if (isOver) throw new Error('It is not over yet.')
    })
    test('the next', () => { if (!isOver) throw new Error('What follows was not done.') })`)
  const told = outcomes.map(({ type, data }) => `${data.nesting} ${data.name}: ${type}`)
  assert.deepEqual(told, [
    '2 the innermost: test:pass',
    '1 the inner: test:pass',
    '0 the outer: test:pass',
    '0 the next: test:pass',
  ])
})
