/** What is made for a request must be free once it is answered (docs/decisions/0118). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { type Exchange, requesterOf } from '../../src/http/exchange.ts'

setFlagsFromString('--allow-natives-syntax')
/** V8 makes an object with a getter of its own a dictionary, and keeps the getter for long. */
const hasFastProperties = runInThisContext('(it) => %HasFastProperties(it)') as (
  it: object,
) => boolean

test('a requester has no getter of its own, so it does not hold its request', () => {
  assert(hasFastProperties(requesterOf({} as Exchange, 'organization')))
})

test('the check notices a getter of an object literal', () => {
  const literal = {
    get value() {
      return 1
    },
  }
  assert(!hasFastProperties(literal))
})
