/** What the runner of the whole suite says of a file. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { testServer } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const options = {
  env: { ...process.env, TEST_SERVER: JSON.stringify(await testServer()) },
  serialization: 'advanced',
} as const
const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), options)
after(() => worker.disconnect())

/** The messages of what failed in a file with this test. */
const failuresOf = async (body: string): Promise<string[]> => {
  const file = join(temporaryFolder(), 'example.test.mjs')
  writeFileSync(file, `import { test } from 'node:test'\ntest('an example', () => { ${body} })\n`)
  worker.send(file)
  const [events] = (await once(worker, 'message')) as [TestEvent[]]
  return events.flatMap((event) =>
    event.type === 'test:fail' ? [event.data.details.error.message] : [],
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
