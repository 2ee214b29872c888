/** Decisions 0037, 0139 and 0269: the options of V8 with which the service starts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { heapOptions } from '../../bench/bench-server.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: { start: string }
}
const startOptions = scripts.start.split(' ').filter((word) => word.startsWith('--'))

test('V8 lets the heap of the service double between full collections', () => {
  assert(startOptions.includes('--heap-growing-percent=100'))
})

test('the pinned Node.js knows each option of `npm start`', () => {
  const { status, stderr } = spawnSync(process.execPath, [...startOptions, '-e', ''])
  assert.equal(status, 0, stderr.toString())
})

test('the benchmark measures the service with the options of `npm start`', () => {
  assert.deepEqual(heapOptions, startOptions)
})
