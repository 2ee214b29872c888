/**
 * Provenance 8: whoever changes any column of any sealed row gets no false answer and no false
 * effect. Each change is followed by every kind of use that reads the table, which answers as
 * before or refuses. `LONG=1` changes every column, removes up to four single rows of a table, and
 * tries the uses that do not read it, too; otherwise it is every twelfth column and one row: that
 * each column is sealed, test/database/row-seals.test.ts holds in any case.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { columns } from '../../src/database/columns.ts'
import {
  BrokenSeal,
  type SealedTable,
  sealedColumns,
  textlessTables,
} from '../../src/database/row-seals.ts'
import { raw, sql } from '../../src/database/sql.ts'
import { inRolledBackTransaction } from '../../src/database/transactions.ts'
import { practiceOf } from '../../src/store/deployment.ts'
import { abandonPendingFiles, checkPendingFile } from '../../src/store/documents/pending-files.ts'
import { callApi } from '../support/api-client.ts'
import { fillEverySealedTable, password } from '../support/database/every-sealed-table.ts'
import { statementsOfEach } from '../support/database/statement-log.ts'
import { exampleLine } from '../support/fixtures.ts'
import { dryPoll } from '../support/identity/device-codes.ts'
import { until } from '../support/until.ts'
import {
  copyRows,
  countOf,
  deleteRow,
  exchangeRows,
  primaryKeyOf,
  whileTampered,
} from '../support/provenance/row-tampering.ts'
import { changeUntold } from '../support/provenance/untold-changes.ts'
import {
  type Answer,
  isWithheld,
  withoutRandomParts,
} from '../support/provenance/withheld-answers.ts'
import { startTestService } from '../support/test-service.ts'
import { localReceiverSettings, startReceiver } from '../support/webhooks/receiver.ts'
import { otherValue, otherValueOf } from '../support/provenance/other-values.ts'
import { type Use, readAs, rowReads } from '../support/provenance/row-reads.ts'
import { answersOf } from '../support/provenance/busy-uses.ts'

const receiver = await startReceiver()
const running = await startTestService({ ...localReceiverSettings, SANDBOX_QUOTAS: 'off' })
const { database } = running
const world = await fillEverySealedTable(running, receiver.url)
const { issuer, counterparty } = world.pair
const { loan } = world
const { borrower, lender } = loan

/** A dry run decides as the write would, and changes nothing. */
const rehearse =
  (path: string, key: string, body: object = {}, method = 'POST'): Use =>
  () =>
    callApi(running, method, path, { key, body, headers: { 'svc-dry-run': 'true' } })

const anyone = (path: string, body: object): Use => {
  return async () => {
    const reply = await callApi(running, 'POST', path, { body })
    // A session is new each time.
    return { status: reply.status, text: reply.status < 300 ? '' : reply.text }
  }
}

/** What only a task or a page reads, as the store loads it. */
const load =
  (read: () => Promise<unknown>): Use =>
  async () => {
    try {
      const found = await read()
      return { status: found === undefined ? 404 : 200, text: JSON.stringify(found ?? {}) }
    } catch (error) {
      assert(error instanceof BrokenSeal, String(error))
      return { status: 500, text: '' }
    }
  }

const untold = { ...world, organization: world.live.issuer.uuid }
const document = (id: string) => `/v1/documents/${id}`
const line = { line_items: [{ ...exampleLine, quantity: 3 }] }

const uses: Readonly<Record<string, Use>> = {
  ...rowReads(running, world),
  'edit a draft': rehearse(document(world.draft.id), issuer.key, line, 'PATCH'),
  'issue a draft': rehearse(`${document(world.draft.id)}/issue`, issuer.key),
  approve: rehearse(`${document(world.issued.id)}/transition`, counterparty.key, {
    to: 'approved',
  }),
  pay: rehearse(`${document(world.approved.id)}/pay`, world.limited.secret),
  credit: rehearse(`${document(world.approved.id)}/convert`, issuer.key, {
    document_type: 'credit_note',
  }),
  create: rehearse('/v1/documents', issuer.key, {
    connection_id: world.pair.connection,
    document_type: 'invoice',
    ...line,
  }),
  'rotate a secret': rehearse(`/v1/webhooks/${world.endpoint.id}/rotate_secret`, issuer.session),
  'revoke a key': rehearse(`/v1/keys/${world.limited.keyId}/revoke`, counterparty.session),
  'withdraw a listing': rehearse(`/v1/finance/listings/${loan.listing.id}/withdraw`, borrower.key),
  'withdraw from a loan': rehearse(
    `/v1/finance/agreements/${loan.agreement.id}/withdraw`,
    borrower.key,
  ),
  'lend money': rehearse(document(loan.agreement.documents.disbursement_id) + '/pay', lender.key),
  'load the practice pair': load(() => practiceOf(database)),
  'sign in by a link, connect a processor, and claim notices': load(() =>
    inRolledBackTransaction(database, (tx) => changeUntold(tx, untold)),
  ),
  'find files without an attachment': load(async () => {
    const rows = await abandonPendingFiles(database, '2099-01-01T00:00:00Z', 100)
    for (const row of rows) checkPendingFile(database, row)
    return { data: rows.map(({ id, document_id }) => ({ id, document_id })) }
  }),
  'poll for an approved program': () => dryPoll(running, world.device.device_code),
  'sign in': anyone('/auth/sessions', { email: issuer.email, password }),
}

const answers = async (asked = uses): Promise<Map<string, Answer>> =>
  new Map(
    [...(await answersOf(asked))].map(([name, { status, text }]) => [
      name,
      { status, text: withoutRandomParts(text) },
    ]),
  )

const isLong = process.env['LONG'] === '1'
const statements = await statementsOfEach(database, uses)
const before = await answers()

/** A use whose statements do not name the table has not read it, whatever the table says. */
const usesOf = (table: SealedTable): typeof uses => {
  const isNamed = new RegExp(`\\b${table}\\b`)
  const reads = ([name]: [string, Use]) => isLong || isNamed.test(statements.get(name)!)
  return Object.fromEntries(Object.entries(uses).filter(reads))
}

const withTampering = (table: SealedTable, statement: string, check: () => Promise<void>) =>
  whileTampered(database, table, statement, check)

/** Compares with the answers before; returns how many uses were refused. */
const withheldUses = async (table: SealedTable, what: string): Promise<number> => {
  let withheld = 0
  for (const [name, answer] of await answers(usesOf(table))) {
    const { status, text } = before.get(name)!
    if (answer.status === status && answer.text === text) continue
    assert(
      isWithheld({ status, text }, answer),
      `${what}, then ${name}: ${answer.status} ${answer.text}`,
    )
    withheld += 1
  }
  return withheld
}

/** Without a processor, another one may be connected. */
const noticedElsewhere: readonly string[] = ['processor_accounts.organization_id']

/** Where another unique column than the primary key admits no copy. */
const withoutCopies: readonly SealedTable[] = [
  ...(['approvals', 'audit_entries', 'connection_invitations', 'connections'] as const),
  ...(['device_codes', 'finance_agreements', 'finance_pledges', 'keys', 'ledger_account'] as const),
  ...(['ledger_tx', 'limit_usage', 'member_invitations', 'notices', 'passkeys'] as const),
  ...(['payments', 'sandboxes', 'sessions', 'user_identities', 'users'] as const),
]

// A superuser is not held up by them.
const constraints = await database.rows<{ statement: string }>(sql`
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
  from pg_constraint where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace`)
await database.script(constraints.map(({ statement }) => statement).join(';'))

test('the uses succeed on an intact database', () => {
  for (const [name, { status, text }] of before) assert(status < 300, `${name}: ${status} ${text}`)
})

test('the value that replaces another one differs, also from an empty one and from none', async () => {
  for (const [type, change] of Object.entries(otherValue)) {
    const isEmptyable = ['bytea', 'text'].includes(type)
    const values = ['null', ...(isEmptyable ? [`''`, `'1'`] : [])].map((one) => `${one}::${type}`)
    for (const value of values) {
      const differs = `select (${change(value)}) is distinct from ${value} as differs`
      const [row] = await database.rows<{ differs: boolean }>(sql`${raw(differs)}`)
      assert(row!.differs, differs)
    }
  }
})

const [columnStride, deletionsMax] = isLong ? [1, 4] : [12, 1]

for (const [position, table] of textlessTables.entries()) {
  describe(`provenance 8: ${table}`, () => {
    const changed = sealedColumns[table].filter((_, i) => (i + position) % columnStride === 0)
    for (const name of changed) {
      test(`a change of ${name} is never believed`, async () => {
        const type = (columns[table] as Record<string, string>)[name]!.replace('?', '')
        const value = otherValueOf(table, name, type)
        await withTampering(table, `update ${table} set ${name} = ${value}`, async () => {
          const noticed = await withheldUses(table, `${table}.${name} = ${value}`)
          const isNoticed = noticed > 0 || noticedElsewhere.includes(`${table}.${name}`)
          // Only a task reads the scripts of demo counterparties.
          assert(
            isNoticed || table.startsWith('demo_'),
            `no use has noticed the change of ${table}.${name}`,
          )
        })
      })
    }

    test('what an old row said is never answered in the place of another', async () => {
      const key = sealedColumns[table][0]!
      if ((await countOf(database, table)) < 2) return
      // Every row gets the seal of its neighbour.
      const swap = `update ${table} t set seal = n.seal from (
        select ${key} as key, lead(seal, 1, first) over (order by ${key}) as seal
        from (select ${key}, seal, first_value(seal) over (order by ${key}) as first from ${table}) s
      ) n where n.key = t.${key}`
      await withTampering(table, swap, async () => {
        await withheldUses(table, `${table}: seals swapped`)
      })
    })

    test('rows that have exchanged what they say are never believed', async () => {
      if ((await countOf(database, table)) < 2) return
      await withTampering(table, await exchangeRows(database, table), async () => {
        await withheldUses(table, `${table}: rows exchanged`)
      })
    })

    test('a copy under another key is never believed', async () => {
      const rows = await countOf(database, table)
      let copies = 0
      for (const key of await primaryKeyOf(database, table)) {
        await withTampering(table, await copyRows(database, table, key), async () => {
          copies += (await countOf(database, table)) - rows
          await withheldUses(table, `${table}: copies with another ${key}`)
        })
      }
      assert.equal(copies > 0, !withoutCopies.includes(table), `${copies} rows were copied`)
    })

    test('a row that is gone is missed, and nothing false is said instead', async () => {
      const rows = await countOf(database, table)
      const deletions = Array.from({ length: Math.min(rows, deletionsMax) }, (_, i) =>
        deleteRow(table, i),
      )
      for (const statement of [`delete from ${table}`, ...deletions]) {
        await withTampering(table, statement, async () => {
          await withheldUses(table, statement)
        })
      }
    })
  })
}

describe('provenance 8: audit_trails', () => {
  test('a trail that counts an entry no more which is gone is never believed', async () => {
    // No use above is audited for the counterparty, so its trail is as it was.
    const own = `where organization_id = '${counterparty.uuid}'`
    const read = readAs(running, '/v1/audit?limit=1', counterparty.session)
    const { seq } = JSON.parse((await read()).text).data[0]
    assert(seq > 1, 'an entry is left')
    const cut = `delete from audit_entries ${own} and seq >= ${seq}`
    const recount = `update audit_trails set entries = ${seq - 1} ${own}`
    await withTampering('audit_entries', cut, () =>
      withTampering('audit_trails', recount, async () => {
        const { status, text } = await read()
        assert.equal(status, 500, text)
        assert.equal(JSON.parse(text).error.code, 'integrity_failure')
      }),
    )
    assert.equal(JSON.parse((await read()).text).data[0].seq, seq)
  })
})

for (const [table, step, path] of [
  ['demo_scripts', 'step + 1', `/v1/documents/${world.sandbox.invoice}`],
  ['demo_loans', '0', `/v1/finance/offers?listing=${world.sandbox.listing}`],
] as const) {
  test(`a false row of ${table} moves nothing of the demo counterparty`, async () => {
    const before = await readAs(running, path, world.sandbox.key)()
    const due = `update ${table} set due_at = now() - interval '1 day', step = ${step}`
    await withTampering(table, due, async () => {
      await until('the alarm is raised', () =>
        running.logLines.some((line) => line.includes(table)),
      )
      assert.equal((await readAs(running, path, world.sandbox.key)()).text, before.text)
    })
  })
}
