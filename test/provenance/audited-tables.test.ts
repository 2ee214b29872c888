/** Provenance 8: no table is left out by the auditor of rows, and none alarms without a reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textlessTables } from '../../src/database/row-seals.ts'
import { auditRows } from '../../src/tasks/audit-rows.ts'
import { fillEverySealedTable } from '../support/database/every-sealed-table.ts'
import { alarmsOfRound } from '../support/provenance/audit-alarms.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'

const receiver = await startReceiver()
const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
await fillEverySealedTable(running, receiver.url)

const alarms = () => alarmsOfRound(running, auditRows, { ...running.service.context })

test('nobody is alarmed by rows of every table', async () => {
  assert.deepEqual(await alarms(), [])
})

test('a row of any table that is not as it was sealed is found', async () => {
  for (const table of textlessTables)
    await asSuperuser(
      running.database,
      `update ${table} set seal = set_byte(seal, 5, get_byte(seal, 5) # 1) where seal <> ''`,
    )
  const raised = (await alarms()).join('\n')
  for (const table of textlessTables) assert.match(raised, new RegExp(`${table} [^"]+: the seal`))
})
