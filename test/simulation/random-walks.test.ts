/**
 * Random walks of two organizations over the API, against an independent model. Every text that is
 * sent holds a word of its own, and no answer may hold a word that its reader must not see.
 * `LONG=1` walks 2,000 times.
 */
import { test } from 'node:test'
import fc from 'fast-check'
import { createConnection } from '../../src/changes/identity/connections.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { arbitrarySteps } from '../support/simulation/model.ts'
import { aPair, anOrganization, startTestService } from '../support/service.ts'
import { RandomWalk } from '../support/simulation/random-walk.ts'

const running = await startTestService()
// Live and without a processor: what payments do to a document has a walk of its own.
const stranger = await anOrganization(running, { mode: 'live' })
const runs = process.env['LONG'] === '1' ? 2_000 : 25

test(`${runs} random walks agree with the model, and nobody reads what is not theirs`, async () => {
  const property = fc.asyncProperty(arbitrarySteps, async (steps) => {
    const pair = await aPair(running, 'live')
    await createConnection(running.database, {
      a: pair.issuer.uuid,
      b: stranger.uuid,
      mode: 'live',
      invitedBy: stranger.uuid,
      terms: null,
      currency: 'USD',
      status: 'active',
    })
    const walk = new RandomWalk(running, pair, stranger)
    for (const step of steps) await walk.perform(step)
    await walk.assertNothingLeaked()
  })
  await fc.assert(property, { numRuns: runs })
  await assertServiceConsistent(running)
})
