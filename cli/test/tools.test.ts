/** Search, clock, trigger, docs, open and capabilities. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFaultServer } from '../../sdk/test/support/fault-server.ts'
import { callApi } from '../../test/support/api-client.ts'
import { loanParties, loansClient } from '../../test/support/finance/loans.ts'
import { anInvoice } from '../../test/support/fixtures.ts'
import { buyerProfile, sellerProfile, setProfile } from '../../test/support/identity/profiles.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { startSandbox } from './support/sandbox.ts'

const { running, sandbox, cli, pair } = await startSandbox()

const json = async (argv: string[]) => {
  const { code, stdout, stderr } = await cli([...argv, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('clock advance takes a duration or a date', async () => {
  assert.equal((await json(['clock', 'advance', 'P1D'])).offset_seconds, 86_400)
  const target = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  assert.equal((await json(['clock', 'advance', target])).now.slice(0, 10), target)
  assert.equal((await cli(['clock', 'advance', 'P0D'])).code, 1)
})

test('clock advance names both forms when it gets neither', async () => {
  for (const target of ['1d', 'tomorrow']) {
    const { code, stderr } = await cli(['clock', 'advance', target])
    assert.equal(code, 1)
    assert.match(stderr, /an advance_by like P6D, .* or an advance_to like \d{4}-\d\d-\d\d/)
  }
})

const events = [
  'document.created',
  'document.edited',
  'document.status_changed',
  'payment.settled',
  'payment.failed',
]

for (const event of events) {
  test(`trigger ${event} causes it`, async () => {
    await json(['trigger', event])
    const path = `/v1/events?type=${event}&limit=1`
    await until('the feed has it', async () => {
      const { data } = (await callApi(running, 'GET', path, { key: sandbox.key })).body
      return data.length === 1 && Date.now() - Date.parse(data[0].created_at) < 10_000
    })
  })
}

test('trigger sets, adds and removes fields by their path in the event', async () => {
  const { document_id: id } = await json([
    'trigger',
    'document.created',
    '--override',
    'data.document.notes=Hello',
    '--override',
    'data.document.line_items.0.quantity=7',
    '--add',
    'currency=EUR',
  ])
  const document = await json(['documents', 'get', id])
  const { notes, currency, line_items } = document
  assert.deepEqual([notes, currency, line_items[0].quantity], ['Hello', 'EUR', 7])
  const bare = await json(['trigger', 'document.created', '--remove', 'data.document.notes'])
  assert.equal((await json(['documents', 'get', bare.document_id])).notes, null)
  for (const wrong of ['notes', 'a.b=1', '__proto__.x=1']) {
    assert.equal((await cli(['trigger', 'document.created', '--override', wrong])).code, 2)
  }
  assert.equal((await cli(['trigger', 'document.vanished'])).code, 2)
})

test('trigger --edit sends what the editor has saved, and nothing if the editor fails', async () => {
  const editor = `${temporaryFolder()}/editor.sh`
  const replaced = 'sed "s/Made by docex trigger/Edited by hand/" "$1"'
  writeFileSync(editor, `text=$(${replaced}) && echo "$text" > "$1"`)
  const edit = async (EDITOR: string) =>
    cli(['trigger', 'document.created', '--edit', '--json'], { env: { EDITOR, VISUAL: '' } })
  const { code, stdout, stderr } = await edit(`sh ${editor}`)
  assert.equal(code, 0, stderr)
  const { document_id: id } = JSON.parse(stdout)
  assert.equal((await json(['documents', 'get', id])).notes, 'Edited by hand.')
  for (const failing of ['false', 'echo "{" >', '']) {
    assert.equal((await edit(failing)).code, 2, failing)
  }
  const [newest] = (await json(['documents', 'list', '--limit', '1'])).data
  assert.equal(newest.id, id)
})

test('what an offer authorizes is printed as the bytes that its digest is of', async () => {
  const parties = await loanParties(running)
  const { id, standing_authorization } = await loansClient(running).offered(parties)
  const lender = { env: { DOCEX_API_KEY: parties.lender.key } }
  for (const more of [[], ['--json']]) {
    const { bytes } = await cli(['finance', 'offers', 'authorization', id, ...more], lender)
    assert.equal(`sha256:${hash('sha256', bytes)}`, standing_authorization.digest)
  }
})

test('search takes the words as arguments and with --q, and not both', async () => {
  const { id, number } = await anInvoice(running, pair)
  const asFlag = await cli(['search', '--q', number, '--type', 'document', '--json'])
  const asWord = await cli(['search', number, '--type', 'document', '--json'])
  assert.equal(JSON.parse(asWord.stdout).data[0].id, id)
  assert.equal(asWord.stdout, asFlag.stdout)
  assert.equal((await cli(['search', 'two', 'words'])).code, 0)
  for (const wrong of [['search'], ['search', 'word', '--q', 'word']]) {
    const { code, stderr } = await cli(wrong)
    assert.equal(code, 2)
    assert.match(stderr, /^error usage: Say what to look for, as words or with --q\./)
  }
})

test('documents import says each problem of a file, with what to send instead', async () => {
  const file = join(temporaryFolder(), 'invoice.csv')
  const header =
    'document_type,document_date,issuer,currency,description,quantity,unit_price,tax_percent,total'
  writeFileSync(file, `${header}\r\nbill,27.11.2026,Practice Organization,CHF,Wool,1,10,0,10\r\n`)
  const argv = ['documents', 'import', '--connection-id', sandbox.connection, '--file', file]
  const { code, stderr } = await cli(argv)
  assert.equal(code, 1)
  const [headline, ...lines] = stderr.split('\n')
  assert.equal(headline, 'error invalid_request: 3 problems')
  const [type, , currency, , date, fix] = lines
  assert.match(`${type}${currency}${date}`, /BT-3: .*bill.*BT-5: .*CHF.*BR-03: .*27\.11\.2026/)
  assert.match(fix!, /^ {4}write it as YYYY-MM-DD/)
})

test('documents checks says in words that nothing is wrong', async () => {
  const { id } = await anInvoice(running, pair)
  const argv = ['documents', 'checks', id, '--format', 'ubl']
  assert.match((await cli(argv)).stdout, /issuer\.\w+/)
  await setProfile(running, sandbox, sellerProfile)
  await setProfile(running, { session: sandbox.demoSession }, buyerProfile)
  assert.match((await cli(argv)).stdout, /^No problems/)
  assert.deepEqual(await json(argv), { problems: [] })
})

test('trigger, whose calls no key can repeat together, names none', async () => {
  const faulty = await startFaultServer(running.baseUrl)
  faulty.script.push('resetsAfter', 'resetsAfter', 'resetsAfter')
  const env = { DOCEX_BASE_URL: faulty.baseUrl }
  const { code, stderr } = await cli(['trigger', 'document.created'], { env })
  assert.equal(code, 4)
  assert(!stderr.includes('--idempotency-key'), stderr)
})

test('docs where there are none end as other commands do without a service', async () => {
  const faulty = await startFaultServer(running.baseUrl)
  faulty.script.push('isNotJson')
  const { code, stderr } = await cli(['docs', 'x'], { env: { DOCEX_BASE_URL: faulty.baseUrl } })
  assert.equal(code, 4, stderr)
})

test('docs finds sections, and each address exists', async () => {
  const { data } = await json(['docs', 'Idempotency-Key'])
  assert(data.length > 3)
  for (const { url, title } of data) {
    const { pathname, hash } = new URL(url)
    const page = await callApi(running, 'GET', pathname, {})
    assert.equal(page.status, 200, `${title}: ${url}`)
    assert(hash === '' || page.text.includes(`id="${hash.slice(1)}"`), `${title}: ${url}`)
  }
  const nothing = await cli(['docs', 'xyzzyplugh'])
  assert.deepEqual([nothing.code, nothing.stdout.startsWith('Nothing')], [0, true])
})

test('open prints the address, and starts nothing without a terminal', async () => {
  assert.equal((await cli(['open'])).stdout, `${running.baseUrl}/v1/docs\n`)
  assert.deepEqual(await json(['open', 'openapi']), { url: `${running.baseUrl}/v1/openapi.json` })
  assert.equal((await cli(['open', 'elsewhere'])).code, 2)
})

test('capabilities lists every command with its flags, and the exit codes', async () => {
  const { commands, exit_codes: codes } = await json(['capabilities'])
  assert.deepEqual(Object.keys(codes), ['0', '1', '2', '3', '4'])
  const names = commands.map(({ command }: { command: string }) => command)
  for (const name of ['documents create', 'listen', 'logs tail', 'verify', 'clock advance']) {
    assert(names.includes(name), name)
  }
  assert(!names.includes('complete'))
  const create = commands.find(({ command }: { command: string }) => command === 'documents create')
  assert(create.flags.some(({ flags }: { flags: string }) => flags.startsWith('--connection-id')))
})
