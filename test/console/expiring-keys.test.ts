/** Home warns of every key that expires soon, however many are newer (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, post, openSession } = started

describe('a key that expires soon', { skip: skipsLong ?? false }, () => {
  test('is named by Home beside more than a hundred newer ones', async () => {
    const admin = await openSession(practice.organization.admin)
    const scopes = ['documents:read']
    const soon = { name: 'Till of 2024', scopes, expires_at: `${inDays(5)}T00:00:00Z` }
    await post(admin, '/v1/keys', soon)
    // A sandbox has at most a hundred that are active.
    for (let i = 0; i < 101; i++) {
      const { id } = await post(admin, '/v1/keys', { name: `Till ${i}`, scopes })
      await post(admin, `/v1/keys/${id}/revoke`)
    }
    await page.goto(at('/'))
    await page.getByRole('link', { name: 'The key Till of 2024 expires' }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
