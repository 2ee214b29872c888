/** What a refusal says is a sentence for people; what programs read is in its details. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { notFound } from '../../src/contract/errors.ts'

describe('the text of a refusal', () => {
  test('names in words what is missing, and its details as the API does', () => {
    const { message, details } = notFound('approval_rule', 'apr_1')
    assert.equal(message, 'There is no approval rule apr_1 for this organization.')
    assert.equal(details?.['resource'], 'approval_rule')
    assert.match(notFound('saved_view', '').message, /before the saved view's id/)
  })
})
