/**
 * Random walks of two organizations over the API, compared with an independent model. Every text
 * contains a unique canary, and no response may contain a canary hidden from its reader. `LONG=1`
 * runs 2,000 walks.
 */
import { test } from 'node:test'
import fc from 'fast-check'
import { createConnection } from '../../src/changes/identity/connections.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { inTurn } from '../support/database/in-turn.ts'
import { arbitrarySteps } from '../support/simulation/steps.ts'
import { aPair, anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { RandomWalk } from '../support/simulation/random-walk.ts'

const running = await startTestService()
// Live mode without a processor excludes payments, which payment-months.test.ts simulates.
const stranger = await anOrganization(running, { mode: 'live' })
const runs = process.env['LONG'] === '1' ? 2_000 : 10

test(`${runs} random walks agree with the model, and show nobody the texts of others`, async () => {
  const property = fc.asyncProperty(arbitrarySteps, async (steps) => {
    const pair = await aPair(running, 'live')
    await inTurn(running.database, (tx) =>
      createConnection(tx, {
        a: pair.issuer.uuid,
        b: stranger.uuid,
        mode: 'live',
        invitedBy: stranger.uuid,
        terms: null,
        currency: 'USD',
        status: 'active',
      }),
    )
    const walk = new RandomWalk(running, pair, stranger)
    for (const step of steps) await walk.perform(step)
    await walk.assertNothingLeaked()
  })
  await fc.assert(property, { numRuns: runs })
  await assertServiceConsistent(running)
})
