/**
 * Domain 7: a service that is killed while it makes exports leaves nothing behind, and another one
 * makes the same bytes. Nothing of an export is stored, so there is no half of one to be found.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { aPair, anInvoice, exampleLine } from '../support/fixtures.ts'
import { withProfiles } from '../support/identity/profiles.ts'
import { killableServerKey, startKillableService } from '../support/processes/killable-processes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const formats = ['pdf', 'pdf&proof=1', 'cii', 'ubl', 'csv']
const invoiceCount = 2

const undisturbed = await startTestService({ SERVER_KEY: killableServerKey })
const folder = temporaryFolder()
/** What all processes of the service that is killed have in their environment. */
const settings = { DATA_DIR: folder, TMPDIR: folder }

/** Linux only: elsewhere, nothing is found. */
const processesOfKilled = (): string[] => {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return numbers.filter((number) => environmentOf(number).includes(`TMPDIR=${folder}\0`))
}

const environmentOf = (number: string): string => {
  try {
    return readFileSync(`/proc/${number}/environ`, 'latin1')
  } catch {
    return ''
  }
}

test('domain 7: kill -9 during renders leaves nothing, and the next service makes the same bytes', async () => {
  const starting = startKillableService(undisturbed.databaseUrl, settings)
  const pair = await withProfiles(undisturbed, await aPair(undisturbed))
  const line_items = Array.from({ length: 40 }, () => exampleLine)
  const invoices = await Promise.all(
    Array.from({ length: invoiceCount }, () => anInvoice(undisturbed, pair, { line_items })),
  )
  const renders = invoices.flatMap(({ id }, i) =>
    formats.map((format) => ({
      path: `/v1/documents/${id}/render?format=${format}`,
      key: i % 2 === 0 ? pair.issuer.key : pair.counterparty.key,
    })),
  )
  const render = async (
    { baseUrl }: Pick<TestService, 'baseUrl'>,
    { path, key }: (typeof renders)[number],
  ) => {
    const headers = { authorization: `Bearer ${key}` }
    let response = await fetch(baseUrl + path, { headers })
    // A busy machine does not make a PDF in time.
    await until(`${path} is made`, async () => {
      if (response.status !== 503) return true
      await response.arrayBuffer()
      response = await fetch(baseUrl + path, { headers })
      return false
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(response.status, 200, bytes.toString())
    return { etag: response.headers.get('etag'), bytes }
  }
  const killed = await starting
  assert(process.platform !== 'linux' || processesOfKilled().length > 0)

  let done = 0
  const interrupted = Promise.allSettled(
    renders.map((one) => render(killed, one).then(() => (done += 1))),
  )
  await until('some are made', () => done > 0)
  await killed.kill()
  const lost = (await interrupted).filter(({ status }) => status === 'rejected')
  assert(lost.length > 0 && lost.length < renders.length, `${lost.length}`)
  assert.deepEqual(processesOfKilled(), [])
  assert.deepEqual(readdirSync(folder), [])

  const next = await startKillableService(undisturbed.databaseUrl, settings)
  for (const one of renders)
    assert.deepEqual(await render(next, one), await render(undisturbed, one), one.path)
})
