/** What a statement of an approval says, also one of an earlier version. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAbout } from '../../src/core/approvals/approval-statement.ts'

test('a statement that lacks a record of the write is about another version of it', () => {
  const offer = { id: 'ofr_1', updated_at: '2026-11-29T00:00:00.000Z' }
  const listing = { id: 'lst_1', updated_at: '2026-11-29T00:00:00.000Z' }
  assert(isAbout(JSON.stringify({ offer, listing }), { offer, listing }))
  assert(!isAbout(JSON.stringify({ offer }), { offer, listing }))
  const moved = { ...listing, updated_at: '2026-11-29T00:00:01.000Z' }
  assert(!isAbout(JSON.stringify({ offer, listing: moved }), { offer, listing }))
})
