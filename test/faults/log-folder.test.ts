/**
 * Decision 0210: without the folder of the log keys, what is verified is refused until it is back,
 * and everything else goes on. /readyz, the metrics and the service log say what is wrong.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { keysDirOf } from '../support/database/postgres.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { anInvoice } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const { running, pair, issuer } = await startTradingPair()
const { metrics } = running.service.context
const keysDir = keysDirOf(running.databaseUrl)
const invoice = await anInvoice(running, pair)
const path = `/v1/documents/${invoice.id}`
const get = (at: string) => callApi(running, 'GET', at, { key: issuer.key })
const receipt = `${path}/receipts/1`
assert.equal((await get(receipt)).status, 200)
assert.equal((await get(`${path}/export`)).status, 200)

const readiness = async () => {
  const { status, body } = await callApi(running, 'GET', '/readyz')
  return { status, reason: body.reason }
}
const readyAgain = () => until('ready', async () => (await readiness()).status === 200)

const untilAlarmed = async (problem: string) => {
  await until('the alarm', async () => (await readiness()).reason === problem)
  assert.equal((await readiness()).status, 503)
  const counted = new RegExp(`docex_log_folder_problems_total\\{problem="${problem}"\\} [1-9]`)
  assert.match(metrics.text(), counted)
  const lines = running.logLines.map((line) => JSON.parse(line) as { event: string; level: string })
  assert(lines.some(({ event, level }) => event === problem && level === 'error'))
}

const failures: Record<string, () => Promise<() => Promise<void>>> = {
  away: async () => {
    await rename(keysDir, `${keysDir}-away`)
    return () => rename(`${keysDir}-away`, keysDir)
  },
  unreadable: async () => {
    const signed = join(keysDir, 'test', 'signed')
    await rename(signed, `${signed}-away`)
    await writeFile(signed, '')
    return async () => {
      await rm(signed)
      await rename(`${signed}-away`, signed)
    }
  },
}

for (const [title, fail] of Object.entries(failures)) {
  test(`while the folder is ${title}, what is verified is 503, and the rest goes on`, async () => {
    const mend = await fail()
    try {
      await untilAlarmed('log_folder_unavailable')
      const verified = ['history', 'lineage', 'export', 'receipts/1'].map((one) => `${path}/${one}`)
      for (const read of [...verified, '/v1/log/checkpoint']) {
        const { status, body, headers } = await get(read)
        assert.deepEqual([status, body.error.code], [503, 'service_unavailable'], read)
        assert.match(body.error.message, /keys of the log/)
        assert.equal(headers.get('retry-after'), '1')
      }
      assert.equal((await get(path)).status, 200)
      await anInvoice(running, pair)
    } finally {
      await mend()
    }
    const later = await anInvoice(running, pair)
    await readyAgain()
    assert.equal((await get(`${path}/history`)).status, 200)
    await until('the log goes on', async () => {
      return (await get(`/v1/documents/${later.id}/export`)).status === 200
    })
  })
}

const withFullDevice = { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' }

test(
  'while the folder has no room, what is in the log is still proven',
  withFullDevice,
  async () => {
    const probe = join(keysDir, '.room')
    await until('a probe', () =>
      symlink('/dev/full', probe).then(
        () => true,
        () => false,
      ),
    )
    try {
      await untilAlarmed('log_folder_full')
      for (const read of ['history', 'export'])
        assert.equal((await get(`${path}/${read}`)).status, 200)
    } finally {
      await rm(probe)
    }
    await readyAgain()
  },
)
