/** The commands of the operations, and what a run of one prints and returns. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { operations } from '../../src/operations/index.ts'
import { callApi } from '../../test/support/api-client.ts'
import { aDraft, aPair, anInvoice, exampleLine } from '../../test/support/fixtures.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { operationCommands } from '../src/generated/commands.ts'
import { programOf } from '../src/program.ts'
import { cliWith } from './support/run-cli.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const running = await startTestService()
const pair = await aPair(running)
const settings = { DOCEX_API_KEY: pair.issuer.key, DOCEX_BASE_URL: running.baseUrl }
const cli = cliWith(settings)
const buyer = cliWith({ ...settings, DOCEX_API_KEY: pair.counterparty.key })

const created = ['documents', 'create', '--connection-id', pair.connection, '--json']
const lines = JSON.stringify([exampleLine])

test('every operation is a command, and a command with its words is that operation', () => {
  const { env, stdin, stdout, stderr } = process
  const { signal } = new AbortController()
  const program = programOf({ env, stdin, stdout, stderr, signal })
  const versioned = operations.filter(isVersioned)
  assert.deepEqual(
    operationCommands.map(({ id }) => id).toSorted(),
    versioned.map(({ id }) => id).toSorted(),
  )
  for (const { id, words, parameters } of operationCommands) {
    assert.deepEqual(words, id.replaceAll('_', '-').split('.'))
    const command = words.reduce<Command | undefined>(
      (at, word) => at?.commands.find((one) => one.name() === word),
      program,
    )
    const ids = command?.registeredArguments.filter(({ required }) => required)
    assert.equal(ids?.length, parameters.length, id)
    assert.match(command!.helpInformation(), /^Usage: docex /)
  }
})

test('each command says in the list of its group what it is for', () => {
  const { env, stdin, stdout, stderr } = process
  const { signal } = new AbortController()
  const unexplained = (command: Command): string[] =>
    command
      .createHelp()
      .visibleCommands(command)
      .flatMap((one) => [
        ...(one.summary() === '' && one.description() === '' ? [one.name()] : []),
        ...unexplained(one),
      ])
  assert.deepEqual(unexplained(programOf({ env, stdin, stdout, stderr, signal })), [])
})

test('the help of docex has a line for each exit code, none wider than 80 columns', async () => {
  const { stdout } = await cli(['--help'])
  for (const line of stdout.slice(stdout.indexOf('Examples:')).split('\n')) {
    assert(line.length <= 80, line)
  }
  assert.match(stdout, /\n  3  no credential, or one that the service does not know\n/)
})

test('with --json every operation answers JSON or a file on stdout, or a refusal on stderr', async () => {
  const file = `${temporaryFolder()}/note.txt`
  writeFileSync(file, 'A note.')
  let refused = 0
  const ending = operationCommands.filter(({ isLive }) => !isLive)
  for (const { words, parameters, fields, body, method, isExact } of ending) {
    const argv = [
      ...words,
      ...parameters.map(() => 'doc_unknown'),
      ...fields.flatMap(({ flag, required, place }) =>
        required && place === 'query' ? [`--${flag}`, '0'] : [],
      ),
      ...(method === 'GET' ? [] : ['--dry-run']),
      ...(body === 'file' ? ['--file', file] : []),
      ...(body === 'required' || body === 'optional' ? ['--data', '{}'] : []),
      '--json',
    ]
    const { code, stdout, stderr } = await cli(argv)
    const name = `${argv.join(' ')}\n${stdout}${stderr}`
    if (code === 0) {
      if (isExact) assert.notEqual(stdout, '', name)
      else assert.equal(typeof JSON.parse(stdout), 'object', name)
    } else {
      refused += 1
      assert.equal(code, 1, name)
      assert.equal(stdout, '', name)
      const { error } = JSON.parse(stderr)
      assert(error.code && error.message && error.docs_url && error.request_id, name)
    }
  }
  assert(refused > 30 && refused < operationCommands.length - 15, String(refused))
})

describe('a document, from flags to a proof', () => {
  test('flags make the body, ids are positional, and --json prints the bytes of the service', async () => {
    const draft = await cli([...created, '--document-type', 'invoice', '--line-items', lines])
    assert.equal(draft.code, 0, draft.stderr)
    const { id } = JSON.parse(draft.stdout)
    const issued = await cli(['documents', 'issue', id])
    assert.match(issued.stdout, /^status +submitted$/m)
    assert.match(issued.stdout, /^line_items\n.*DESCRIPTION/m)
    const moved = await buyer(['documents', 'transition', id, '--to', 'approved', '--json'])
    assert.equal(JSON.parse(moved.stdout).status, 'approved')
    const got = await cli(['documents', 'get', id, '--json'])
    const { text } = await callApi(running, 'GET', `/v1/documents/${id}`, { key: pair.issuer.key })
    assert.equal(got.stdout, `${text}\n`)
    const illegal = await buyer(['documents', 'transition', id, '--to', 'acknowledged'])
    assert.equal(illegal.code, 1)
    assert.match(illegal.stderr, /^error conflict: .*\n {2}allowed: .*disputed/)
  })

  test('the body comes from the argument, a file or stdin, and flags change it', async () => {
    const body = JSON.stringify({ document_type: 'quote', line_items: [exampleLine], notes: 'A' })
    const file = `${temporaryFolder()}/body.json`
    writeFileSync(file, body)
    for (const data of [body, `@${file}`, '@-']) {
      const argv = [...created, '--data', data, '--notes', 'B', '--dry-run']
      const { stdout, stderr } = await cli(argv, { stdin: body })
      assert.match(stderr, /Dry run/)
      const { document_type: type, notes } = JSON.parse(stdout)
      assert.deepEqual([type, notes], ['quote', 'B'])
    }
  })

  test('a file and stdin are UTF-8, with or without a mark; other encodings are refused', async () => {
    const file = `${temporaryFolder()}/body.json`
    const body = JSON.stringify({
      document_type: 'quote',
      line_items: [exampleLine],
      notes: 'Straße',
    })
    const sent = async (stdin: Buffer) => {
      writeFileSync(file, stdin)
      const runs = ['@-', `@${file}`].map((data) =>
        cli([...created, '--data', data, '--dry-run'], { stdin }),
      )
      return Promise.all(runs)
    }
    for (const text of [body, `\ufeff${body}`]) {
      for (const { stdout } of await sent(Buffer.from(text))) {
        assert.equal(JSON.parse(stdout).notes, 'Straße')
      }
    }
    for (const { code, stderr } of await sent(Buffer.from(body, 'latin1'))) {
      assert.equal(code, 2)
      assert.match(JSON.parse(stderr).error.message, /^--data takes UTF-8, and .* another encoding/)
    }
  })

  test('a key that appears twice in one object is refused, as by the service', async () => {
    const line = '{"description":"Oak","quantity":1,"unit_price":5,"unit_price":500}'
    const twice = [
      ['/0/unit_price', [...created, '--document-type', 'quote', '--line-items', `[${line}]`]],
      ['/notes', [...created, '--data', '{"document_type":"quote","notes":"a","not\\u0065s":"b"}']],
      [
        '/line_items/0/unit_price',
        ['post', '/v1/documents', '--json', '--data', `{"line_items":[${line}]}`],
      ],
    ] as const
    for (const [place, argv] of twice) {
      const { code, stderr } = await cli(argv)
      assert.equal(code, 2)
      const key = place.split('/').at(-1)
      assert.match(
        JSON.parse(stderr).error.message,
        new RegExp(`^--[a-z-]+, at ${place}: The key "${key}" appears twice in one object\\.`),
      )
    }
    const notes = '{"notes":"a","metadata":{"notes":"\\"notes\\":1","__proto__":"x"}}'
    const { stderr } = await cli([...created, '--data', notes])
    assert.match(JSON.parse(stderr).error.message, /"__proto__" is not allowed/)
  })

  test('a file without the @ is refused with the flag that reads it', async () => {
    const file = `${temporaryFolder()}/inv.json`
    writeFileSync(file, '{}')
    const wrong = [
      [[...created, file], '--data'],
      [[...created, '--data', file], '--data'],
      [[...created, '--line-items', file], '--line-items'],
      [['post', '/v1/documents', file], '--data'],
    ] as const
    for (const [argv, flag] of wrong) {
      const { code, stderr } = await cli([...argv, '--json'])
      assert.equal(code, 2)
      const { message } = JSON.parse(stderr).error
      assert(message.endsWith(`; did you mean ${flag} @${file}?`), message)
    }
    for (const argv of [
      [...created, '/nowhere.json'],
      [...created, '--data', 'nowhere.json'],
    ]) {
      assert.doesNotMatch((await cli(argv)).stderr, /did you mean/)
    }
    const { stdout } = await cli(['documents', 'create', '--help'])
    assert.match(stdout, /^ {2}docex documents create --data @invoice\.json$/m)
  })

  test('a history as a table says who made which change, and --json has all of it', async () => {
    const { id } = await anInvoice(running, pair)
    await buyer(['documents', 'transition', id, '--to', 'approved'])
    const { stdout } = await cli(['documents', 'history', id])
    const [title, ...rows] = stdout.slice(stdout.indexOf('SEQ')).trimEnd().split('\n')
    assert.match(title!, /^SEQ +AT +TYPE +FROM STATUS +TO STATUS +WHO +HASH +LOG +CHANGES$/)
    const { entries } = JSON.parse((await cli(['documents', 'history', id, '--json'])).stdout)
    assert.equal(rows.length, entries.length)
    const last = entries.at(-1)
    assert.equal(last.hash.length, 64)
    const prefix = pair.counterparty.key.slice(0, last.actor.key_prefix.length)
    assert(rows.at(-1)!.includes(` ${prefix} of ${pair.counterparty.id} `))
    assert(rows.at(-1)!.includes(` ${last.hash.slice(0, 12)}… `))
    assert(!rows.join('').includes(last.hash))
  })

  test('an Idempotency-Key has one effect, and --if-match holds against changes', async () => {
    const argv = [...created, '--document-type', 'invoice', '--line-items', lines]
    const first = await cli([...argv, '--idempotency-key', 'order-4711'])
    const second = await cli([...argv, '--idempotency-key', 'order-4711'])
    assert.equal(second.stdout, first.stdout)
    assert.match(second.stderr, /Replayed/)
    const { id } = JSON.parse(first.stdout)
    const late = await cli(['documents', 'update', id, '--notes', 'Late', '--if-match', '7'])
    assert.match(late.stderr, /precondition_failed/)
  })

  test('a list is a table of the summary, a page with --json, and everything with --all', async () => {
    for (let i = 0; i < 3; i += 1) await anInvoice(running, pair)
    const table = await cli(['documents', 'list', '--limit', '2'])
    const [title, ...rows] = table.stdout.trimEnd().split('\n')
    assert.match(title!, /^ID +.*NUMBER/)
    assert.equal(rows.length, 2)
    assert.match(table.stderr, /More: --cursor \S+, or --all/)
    const page = JSON.parse((await cli(['documents', 'list', '--limit', '2', '--json'])).stdout)
    assert.equal(page.data.length, 2)
    const all = JSON.parse(
      (await cli(['documents', 'list', '--limit', '2', '--all', '--json'])).stdout,
    )
    assert(all.data.length >= 4 && !all.has_more)
    const none = ['documents', 'list', '--connection', 'con_01kbm9s346q3d25vt4f5v37e3s', '--all']
    assert.deepEqual(JSON.parse((await cli([...none, '--json'])).stdout).data, [])
    assert.match((await cli(none)).stdout, /^ID/)
    const fields = await cli([
      'documents',
      'list',
      '--fields',
      'id,counterparty.name',
      '--limit',
      '1',
    ])
    assert.match(fields.stdout, /^ID +COUNTERPARTY\.NAME\ndoc_\w+ +Organization/)
  })

  test('a flag of a list takes commas, and may be repeated', async () => {
    const idsOf = async (...flags: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await cli(['documents', 'list', ...flags, '--json'])
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout).data.map(({ id }: { id: string }) => id)
    }
    const { id: draft } = await aDraft(running, pair)
    const { id: issued } = await anInvoice(running, pair)
    const both = [issued, draft]
    assert.deepEqual(await idsOf('--id', draft, '--id', issued), both)
    assert.deepEqual(await idsOf('--id', `${draft},${issued}`), both)
    const statuses = ['--status', 'draft', '--status', 'submitted']
    assert.deepEqual(await idsOf('--id', both.join(), ...statuses), both)
  })

  test('text of a counterparty cannot control the terminal', async () => {
    const argv = [...created, '--document-type', 'invoice', '--line-items', lines]
    const notes = JSON.stringify({ notes: 'Pay\r\nnow' })
    const { stdout } = await cli([...argv, '--data', notes])
    const shown = await cli(['documents', 'get', JSON.parse(stdout).id])
    assert.match(shown.stdout, /^notes +Pay now$/m)
  })
})

test('NO_COLOR and pipes have no colours, a terminal has', async () => {
  const escape = '\u001b['
  const wrong = ['documents', 'get', 'doc_unknown']
  assert((await cli(wrong, { isTTY: true })).stderr.includes(escape))
  assert((await cli(['connections', 'list'], { isTTY: true })).stdout.includes(escape))
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const refused = await cli(wrong, { isTTY: true, env })
    const table = await cli(['connections', 'list'], { isTTY: true, env })
    assert(!(refused.stderr + table.stdout).includes(escape))
  }
  assert(!(await cli(wrong)).stderr.includes(escape))
})
