/** `npm run admin` as a process, on the database of a running service. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { adminClient, idIn, tokenIn } from '../support/processes/admin-client.ts'
import { callApi } from '../support/api-client.ts'
import { exampleLine, anOrganization } from '../support/fixtures.ts'
import { turnOnFactor } from '../support/identity/second-factor.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { database } = running

const { expectSuccess, expectRefused, operatorActions } = adminClient(running)

const me = async (key: string) => (await callApi(running, 'GET', '/v1/me', { key })).body

let createdCount = 0
const createLive = async (...more: string[]): Promise<string> =>
  idIn(
    await expectSuccess(['organization', 'create', '--name', `Live ${++createdCount}`, ...more]),
    'org',
  )

describe('organizations', () => {
  test('create makes a working live organization, whose owner can sign in and create keys', async () => {
    const owner = ['--admin-email', 'Grace@Example.com', '--admin-name', 'Grace']
    const id = await createLive('--currency', 'EUR', ...owner)
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

  test('create --sandbox makes an organization that can connect to sandboxes only', async () => {
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
    await expectRefused(
      ['connection', 'create', idIn(output, 'org'), await createLive()],
      /sandbox/,
    )
  })

  test('verify, suspend and resume take effect with the next request, and are refused a second time', async () => {
    const id = await createLive('--admin-email', 'linus@example.com', '--admin-name', 'Linus')
    const token = tokenIn(
      await expectSuccess(['session', 'linus@example.com', '--organization', id]),
    )
    await expectSuccess(['organization', 'verify', id])
    assert.equal((await me(token)).organization.verified, true)
    await expectSuccess(['organization', 'suspend', id])
    assert.equal((await callApi(running, 'GET', '/v1/me', { key: token })).status, 401)
    await expectRefused(['session', 'linus@example.com'], /suspended/)
    await expectRefused(['link', 'linus@example.com'], /suspended/)
    await expectRefused(['organization', 'suspend', id], /is already suspended/)
    await expectSuccess(['organization', 'resume', id])
    assert.equal((await me(token)).organization.id, id)
    await expectRefused(['organization', 'verify', id], /is already verified/)
  })

  test('connection create connects two organizations of one mode, once, and they can exchange documents at once', async () => {
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
    await expectRefused(
      ['connection', 'create', other.id, one.id],
      /already have connection .* active/,
    )
    await expectRefused(['connection', 'create', one.id, one.id], /to itself/)
    await expectRefused(['connection', 'create', one.id, await createLive()], /sandbox/)
  })
})

describe('users and processors', () => {
  test('processor connect sets both ends of live payments, and is refused for a sandbox', async () => {
    const { id } = await anOrganization(running, { mode: 'live' })
    const ends = ['--customer', 'cus_1', '--methods', 'USD=pm_1,GBP=pm_2', '--payout', 'acct_1']
    await expectSuccess(['processor', 'connect', id, ...ends])
    const [row] = await database.rows<{ ends: string }>(sql`
      select concat_ws(' ', customer_reference, payment_methods::jsonb ->> 'GBP', payout_reference) as ends
      from processor_accounts where organization_id = ${decodeId('org', id)!}`)
    assert.equal(row!.ends, 'cus_1 pm_2 acct_1')
    const sandbox = await anOrganization(running)
    await expectRefused(['processor', 'connect', sandbox.id, ...ends], /is a sandbox/)
    await expectRefused(['processor', 'connect', id, ...ends.with(3, 'JPY=pm_1')], /--methods must/)
    await expectRefused(['processor', 'connect', id, ...ends.with(1, 'nobody')], /--customer must/)
  })

  test('user add reads a password from standard input; a second time it changes the role and password', async () => {
    const [first, second] = [await createLive(), await createLive()]
    const add = (organization: string, role: string, ...more: string[]) => [
      'user',
      'add',
      '--email',
      'ada@example.com',
      '--organization',
      organization,
      '--role',
      role,
      ...more,
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

  test('second-factor remove helps who has lost it, and leaves its trace', async () => {
    const { email, userId, session: key } = await anOrganization(running)
    await turnOnFactor(running, { key, userId })
    const link = async () => tokenIn(await expectSuccess(['link', email]))
    const signIn = async () =>
      callApi(running, 'POST', '/auth/sessions', { body: { link: await link() } })
    assert.equal((await signIn()).body.error.details.reason, 'mfa_required')
    assert.match(await expectSuccess(['second-factor', 'remove', email]), /is removed/)
    assert.equal((await signIn()).status, 201)
    await expectRefused(['second-factor', 'remove', email], /no second factor/)
    const [done] = (await operatorActions()).filter(({ command }) => /second-factor/.test(command))
    assert.equal(done!.subject, encodeId('usr', userId))
  })

  test('link prints a token that signs in once, and the command that uses it', async () => {
    const { email, id } = await anOrganization(running)
    const output = await expectSuccess(['link', email])
    const link = tokenIn(output)
    assert(output.includes(`curl -X POST ${running.baseUrl}/auth/sessions`))
    const reply = await callApi(running, 'POST', '/auth/sessions', { body: { link } })
    assert.deepEqual([reply.status, reply.body.organization.id], [201, id])
    assert.equal((await callApi(running, 'POST', '/auth/sessions', { body: { link } })).status, 401)
  })
})

test('lists show what exists, filtered by their option, and record no operator action', async () => {
  const [one, other] = [await anOrganization(running), await anOrganization(running)]
  const connection = idIn(await expectSuccess(['connection', 'create', one.id, other.id]), 'con')
  const before = await operatorActions()
  const lines = async (...args: string[]) => (await expectSuccess(args)).trimEnd().split('\n')

  const organizations = await lines('organization', 'list')
  assert(organizations.includes(`${one.id}  "${one.name}": sandbox, verified`))
  assert.equal((await lines('organization', 'list', '--name', one.name.toUpperCase())).length, 1)
  assert.deepEqual(await lines('organization', 'list', '--name', 'no such name'), [
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

test('every change is recorded in operator_actions without secrets', async () => {
  const { email, id, userId } = await anOrganization(running)
  const { length: before } = await operatorActions()
  const secrets = [
    tokenIn(await expectSuccess(['link', email])),
    tokenIn(await expectSuccess(['session', email])),
  ]
  const added = ['user', 'add', '--email', email, '--organization', id, '--role', 'owner']
  await expectSuccess([...added, '--password-stdin'], 'a password to remember')
  const recorded = (await operatorActions()).slice(before)
  assert.deepEqual(
    recorded.map(({ command }) => command),
    ['link', 'session', 'user add'],
  )
  const subjects = new Set(recorded.map(({ subject }) => subject))
  assert.deepEqual([...subjects], [encodeId('usr', userId)])
  for (const secret of [...secrets, 'a password to remember', '$argon2id']) {
    assert(!JSON.stringify(await operatorActions()).includes(secret))
  }
})
