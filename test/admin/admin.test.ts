/** npm run admin: what operators do, as a process of its own on the database of the service. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { testServer } from '../support/database/postgres.ts'
import { type CommandResult, runAdmin } from '../support/processes/program.ts'
import { exampleLine, anOrganization, callApi, startTestService } from '../support/service.ts'

const running = await startTestService()
const { database, databaseUrl } = running

const admin = (
  args: readonly string[],
  {
    input,
    env = { DATABASE_URL: databaseUrl },
  }: { input?: string; env?: Record<string, string> } = {},
): Promise<CommandResult> => runAdmin(args, { BASE_URL: running.baseUrl, ...env }, input)

/** A command that succeeds, and what it says. */
const expectSuccess = async (args: readonly string[], input?: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await admin(args, input === undefined ? {} : { input })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stderr, '')
  return stdout
}

/** A command that is refused with one line, and leaves no trace. */
const expectRefused = async (
  args: readonly string[],
  why: RegExp,
  input?: string,
): Promise<void> => {
  const before = await operatorActions()
  const { exitCode, stdout, stderr } = await admin(args, input === undefined ? {} : { input })
  assert.deepEqual([exitCode, stdout], [1, ''], stderr)
  assert.match(stderr, why)
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
  assert.deepEqual(await operatorActions(), before)
}

const operatorActions = () =>
  database.rows<{ command: string; subject: string; detail: string }>(
    sql`select command, subject, detail from operator_actions order by id`,
  )

const idIn = (said: string, prefix: string): string => {
  const id = new RegExp(`${prefix}_[0-9a-z]{26}`).exec(said)?.[0]
  assert(id, said)
  return id
}

const tokenIn = (said: string): string => {
  const token = /^(sl|rs_live|rs_test)_[\w-]{32}$/m.exec(said)?.[0]
  assert(token, said)
  return token
}

const me = async (key: string) => (await callApi(running, 'GET', '/v1/me', { key })).body

let created = 0
const aLive = async (...more: string[]): Promise<string> =>
  idIn(
    await expectSuccess(['organization', 'create', '--name', `Live ${(created += 1)}`, ...more]),
    'org',
  )

describe('organizations', () => {
  test('create makes a live one that works: its owner signs in and its admin mints keys', async () => {
    const owner = ['--admin-email', 'Grace@Example.com', '--admin-name', 'Grace']
    const id = await aLive('--currency', 'EUR', ...owner)
    const token = tokenIn(await expectSuccess(['session', 'grace@example.com']))
    const { organization, user } = await me(token)
    assert.deepEqual(
      [organization.id, organization.mode, organization.verified],
      [id, 'live', false],
    )
    assert.deepEqual([user.email, user.name, user.role], ['grace@example.com', 'Grace', 'owner'])
    const body = { name: 'First', scopes: ['documents:read'] }
    assert.equal((await callApi(running, 'POST', '/v1/keys', { key: token, body })).status, 201)
  })

  test('create --sandbox makes one that can be joined with a sandbox, and with no live one', async () => {
    const output = await expectSuccess([
      'organization',
      'create',
      '--name',
      'Mine',
      '--sandbox',
      '--verified',
    ])
    assert.match(output, /: sandbox, verified, USD\./)
    await expectSuccess([
      'connection',
      'create',
      idIn(output, 'org'),
      (await anOrganization(running)).id,
    ])
    await expectRefused(['connection', 'create', idIn(output, 'org'), await aLive()], /sandbox/)
  })

  test('verify, suspend and resume hold from the next request on; again is refused', async () => {
    const id = await aLive('--admin-email', 'linus@example.com', '--admin-name', 'Linus')
    const token = tokenIn(
      await expectSuccess(['session', 'linus@example.com', '--organization', id]),
    )
    await expectSuccess(['organization', 'verify', id])
    assert.equal((await me(token)).organization.verified, true)
    await expectSuccess(['organization', 'suspend', id])
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: token })).status, 401)
    await expectRefused(['session', 'linus@example.com'], /suspended/)
    await expectRefused(['link', 'linus@example.com'], /suspended/)
    await expectRefused(['organization', 'suspend', id], /is suspended already/)
    await expectSuccess(['organization', 'resume', id])
    assert.equal((await me(token)).organization.id, id)
    await expectRefused(['organization', 'verify', id], /is verified already/)
  })

  test('connection create joins two of one mode, once; documents flow at once', async () => {
    const [one, other] = [await anOrganization(running), await anOrganization(running)]
    const output = await expectSuccess([
      'connection',
      'create',
      one.id,
      other.id,
      '--terms',
      'Net 30',
    ])
    const body = {
      connection_id: idIn(output, 'con'),
      document_type: 'invoice',
      line_items: [exampleLine],
    }
    const draft = await callApi(running, 'POST', '/v1/documents', { key: other.key, body })
    assert.equal(draft.status, 201, draft.text)
    await expectRefused(['connection', 'create', other.id, one.id], /already, active/)
    await expectRefused(['connection', 'create', one.id, one.id], /to itself/)
    await expectRefused(['connection', 'create', one.id, await aLive()], /sandbox/)
  })
})

describe('users', () => {
  test('processor connect names both ends of live payments; a sandbox needs none', async () => {
    const { id } = await anOrganization(running, { mode: 'live' })
    const ends = ['--customer', 'cus_1', '--methods', 'USD=pm_1,GBP=pm_2', '--payout', 'acct_1']
    await expectSuccess(['processor', 'connect', id, ...ends])
    const [row] = await database.rows<{ ends: string }>(sql`
      select concat_ws(' ', customer_reference, payment_methods ->> 'GBP', payout_reference) as ends
      from processor_accounts where organization_id = ${decodeId('org', id)!}`)
    assert.equal(row!.ends, 'cus_1 pm_2 acct_1')
    const practice = await anOrganization(running)
    await expectRefused(['processor', 'connect', practice.id, ...ends], /is a sandbox/)
    await expectRefused(['processor', 'connect', id, ...ends.with(3, 'JPY=pm_1')], /--methods must/)
    await expectRefused(['processor', 'connect', id, ...ends.with(1, 'nobody')], /--customer must/)
  })

  test('user add with a password from standard input; a second time it changes role and password', async () => {
    const [first, second] = [await aLive(), await aLive()]
    const add = (organization: string, role: string, ...more: string[]) => [
      ...['user', 'add', '--email', 'ada@example.com', '--organization', organization],
      ...['--role', role, ...more],
    ]
    await expectRefused(add(first, 'admin'), /needs a name/)
    await expectSuccess(
      add(first, 'admin', '--name', 'Ada', '--password-stdin'),
      'a first password\n',
    )
    await expectSuccess(add(second, 'owner'))
    assert.match(await expectSuccess(add(first, 'member')), /is member of .* before: admin/)
    const signIn = (password: string) =>
      callApi(running, 'POST', '/auth/sessions', { body: { email: 'ada@example.com', password } })
    const { body } = await signIn('a first password')
    assert.deepEqual([body.role, body.organization.id], ['member', first])
    await expectSuccess(add(first, 'member', '--password-stdin'), 'a second password')
    assert.deepEqual((await signIn('a first password')).status, 401)
    assert.deepEqual((await signIn('a second password')).status, 201)
    await expectRefused(add(first, 'admin', '--password-stdin'), /12 to 200/, 'short\n')
  })

  test('link prints a token that signs in once, with the command to use it', async () => {
    const { email, id } = await anOrganization(running)
    const output = await expectSuccess(['link', email])
    const link = tokenIn(output)
    assert(output.includes(`curl -X POST ${running.baseUrl}/auth/sessions`))
    const reply = await callApi(running, 'POST', '/auth/sessions', { body: { link } })
    assert.deepEqual([reply.status, reply.body.organization.id], [201, id])
    assert.equal((await callApi(running, 'POST', '/auth/sessions', { body: { link } })).status, 401)
  })
})

test('lists name what there is, narrowed by their option, and leave no line behind', async () => {
  const [one, other] = [await anOrganization(running), await anOrganization(running)]
  const connection = idIn(await expectSuccess(['connection', 'create', one.id, other.id]), 'con')
  const before = await operatorActions()
  const lines = async (...args: string[]) => (await expectSuccess(args)).trimEnd().split('\n')

  const organizations = await lines('organization', 'list')
  assert(organizations.includes(`${one.id}  "${one.name}": sandbox, verified`))
  assert.equal((await lines('organization', 'list', '--name', one.name.toUpperCase())).length, 1)
  assert.deepEqual(await lines('organization', 'list', '--name', 'nobody has this'), [
    'There is no such organization.',
  ])
  const users = await lines('user', 'list', '--email', one.email)
  assert.deepEqual(users, [
    `${encodeId('usr', one.userId)}  ${one.email} "Admin": owner of "${one.name}" (${one.id})`,
  ])
  const connections = await lines('connection', 'list', '--organization', other.id)
  assert.equal(connections.length, 1)
  assert.match(
    connections[0]!,
    new RegExp(`^${connection} .*${one.id}.*: active, no default terms, USD$`),
  )
  assert.deepEqual(await operatorActions(), before)
})

test('every change leaves a line in operator_actions, and no secret in it', async () => {
  const { email, id, userId } = await anOrganization(running)
  const { length: before } = await operatorActions()
  const secrets = [
    tokenIn(await expectSuccess(['link', email])),
    tokenIn(await expectSuccess(['session', email])),
  ]
  const added = ['user', 'add', '--email', email, '--organization', id, '--role', 'admin']
  await expectSuccess([...added, '--password-stdin'], 'a password to be kept')
  const fresh = (await operatorActions()).slice(before)
  assert.deepEqual(
    fresh.map(({ command }) => command),
    ['link', 'session', 'user add'],
  )
  const subjects = new Set(fresh.map(({ subject }) => subject))
  assert.deepEqual([...subjects], [encodeId('usr', userId)])
  for (const secret of [...secrets, 'a password to be kept', '$argon2id']) {
    assert(!JSON.stringify(await operatorActions()).includes(secret))
  }
})

describe('what cannot be done', () => {
  test('an unknown command says so, with the one that was meant and the usage, and exits 2', async () => {
    const cases: [string[], RegExp][] = [
      [[], /^npm run admin/],
      [['organization'], /^There is no command organization\./],
      [
        ['organisation', 'create'],
        /^There is no command organisation create\. Did you mean organization create\?/,
      ],
      [['linked'], /^There is no command linked\. Did you mean link\?/],
    ]
    for (const [args, why] of cases) {
      const { exitCode, stdout, stderr } = await admin(args)
      assert.deepEqual([exitCode, stdout], [2, ''])
      assert.match(stderr, why)
      assert.match(stderr, /organization create --name N/)
    }
  })

  test('help prints the usage and exits 0', async () => {
    for (const args of [['help'], ['--help'], ['link', '--help']]) {
      const { exitCode, stdout, stderr } = await admin(args)
      assert.deepEqual([exitCode, stderr], [0, ''])
      assert.match(stdout, /link <email>/)
    }
  })

  test('bad input prints one line and exits 1', async () => {
    const id = `org_0${'1'.repeat(25)}`
    const cases: [string[], RegExp][] = [
      [['organization', 'create'], /--name is missing/],
      [['organization', 'create', '--name', ' '], /--name must have 1 to 200/],
      [['organization', 'create', '--name', 'N', '--currency', 'XXX'], /USD, EUR/],
      [
        ['organization', 'create', '--name', 'N', '--colour', 'red'],
        /^Unknown option '--colour'\. It takes --name N \[/,
      ],
      [['organization', 'create', '--name', 'N', '--admin-email', 'nobody'], /no e-mail address/],
      [['organization', 'verify'], /<org_id>/],
      [['organization', 'verify', id, id], /<org_id>/],
      [['organization', 'verify', id], /There is no organization/],
      [['organization', 'verify', 'doc_1'], /no organization id/],
      [['organization', 'verify', 'org_nope'], /one is org_ and 26 characters/],
      [['link', 'nobody@example.com'], /There is no user/],
      [['session', 'nobody@example.com', '--organization'], /--organization/],
    ]
    for (const [args, why] of cases) await expectRefused(args, why)
  })

  test('without DATABASE_URL it finds the running service by its sandbox.json, or says what to do', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'docex-admin-'))
    after(() => rm(dataDir, { recursive: true, force: true }))
    const env = { DATA_DIR: dataDir }
    const args = ['organization', 'create', '--name', 'Found']
    const { exitCode, stderr } = await admin(args, { env })
    assert.deepEqual([exitCode, /npm start/.test(stderr)], [1, true], stderr)
    const file = join(dataDir, 'sandbox.json')
    await writeFile(file, JSON.stringify({ base_url: running.baseUrl, database_url: databaseUrl }))
    assert.equal((await admin(args, { env })).exitCode, 0)
    const away = 'postgresql://postgres@127.0.0.1:1/docex'
    await writeFile(file, JSON.stringify({ base_url: running.baseUrl, database_url: away }))
    const stopped = await admin(args, { env })
    assert.equal(stopped.exitCode, 1)
    assert.match(stopped.stderr, /^PostgreSQL does not answer: npm start/)
    const wrong = await admin(args, { env: { DATABASE_URL: away } })
    assert.match(wrong.stderr, /^DATABASE_URL=.* cannot be used: nothing listens there/)
  })

  test('without sandbox.json it finds the embedded PostgreSQL of DATA_DIR', async () => {
    const { dataDir } = await testServer()
    const { exitCode, stderr } = await admin(['organization', 'list'], {
      env: { DATA_DIR: dataDir },
    })
    assert.equal(exitCode, 1)
    assert.match(stderr, /has no tables of the service yet/)
  })
})
