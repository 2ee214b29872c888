/**
 * Console 5, scenario 3: `docex login --device` shows a code, a person approves it in the browser,
 * and the session makes API keys. Codes that are denied, unknown or expired say so.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { spawnCli } from '../../cli/test/support/run-cli.ts'
import { type SealedTable, openRowSeals } from '../../src/database/row-seals.ts'
import type { Rows } from '../../src/database/rows.ts'
import { changeSealedRows } from '../../src/database/sealed-rows.ts'
import { sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDevice, pollDevice } from '../support/identity/device-codes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, dataDir, practice, browser, page, complaints } = started

/** Writes what the service would write, as if it had been at another time. */
const change = async <T extends SealedTable>(
  table: T,
  changes: Partial<Rows[T]>,
): Promise<void> => {
  const keyring = await openKeyring({ serverKey: undefined, dataDir })
  const seals = openRowSeals(keyring.seals)
  const database = await openTestConnection(practice.database_url, 'a test', { seals })
  await inTransaction(database, (tx) => changeSealedRows(tx, table, sql`true`, () => changes))
  await database.close()
}

const startCli = (argv: readonly string[], folder: string) => {
  const child = spawnCli(argv, { DOCEX_CONFIG_DIR: folder, DOCEX_BASE_URL: baseUrl })
  const output = { stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr!.on('data', (chunk) => (output.stderr += String(chunk)))
  return { output, ended: once(child, 'exit').then(([code]) => code as number) }
}

describe('signing in a program', { skip: missingBrowser ?? false }, () => {
  test('scenario 3: the command line shows a code, the browser approves, the session makes keys', async () => {
    const folder = temporaryFolder()
    const login = startCli(['login', '--device', '--json'], folder)
    await until('the code is shown', () => login.output.stderr.includes('user_code='))
    const [address] = /http\S+user_code=\S+/.exec(login.output.stderr)!
    const context = await browser.newContext()
    const visit = await watchedPage(context, baseUrl)
    const { email, password } = practice.organization.admin
    await visit.page.goto(address)
    await visit.page.getByLabel('E-mail').fill(email)
    await visit.page.getByLabel('Password').fill(password)
    await visit.page.getByRole('button', { name: 'Sign in' }).click()
    await visit.page.getByRole('heading', { name: 'Sign in a program' }).waitFor()
    const prefilled = await visit.page.evaluate<string>(
      `document.querySelector('input[name=user_code]').value`,
    )
    assert.equal(prefilled, new URL(address).searchParams.get('user_code'))
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await visit.page.getByRole('button', { name: 'Go on' }).click()
    await visit.page.getByRole('heading', { name: 'Is this you?' }).waitFor()
    await visit.page.getByText(/^docex-cli\//).waitFor()
    await visit.page.getByText('127.0.0.1').waitFor()
    await visit.page.getByLabel('It may act for').selectOption(practice.organization.id)
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await visit.page.getByRole('button', { name: 'Approve' }).click()
    await visit.page.getByRole('heading', { name: 'Approved' }).waitFor()
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    assert.deepEqual(visit.complaints, [])
    await context.close()

    assert.equal(await login.ended, 0, login.output.stderr)
    assert.equal(JSON.parse(login.output.stdout).organization.id, practice.organization.id)
    const body = JSON.stringify({ name: 'erp', scopes: ['documents:read'] })
    const made = startCli(['post', '/v1/keys', '--data', body, '--json'], folder)
    assert.equal(await made.ended, 0, made.output.stderr)
    const { key } = JSON.parse(made.output.stdout)
    assert.equal((await callApi(started, 'GET', '/v1/documents', { key })).status, 200)
  })

  const claim = async (userCode: string): Promise<void> => {
    await page.goto(`${baseUrl}/app/device`)
    await page.getByLabel('Code').fill(userCode)
    await page.getByRole('button', { name: 'Go on' }).click()
  }

  test('a code that is denied gets no session', async () => {
    const { device_code, user_code } = await aDevice(started)
    await claim(user_code.toLowerCase())
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    const { body } = await pollDevice(started, device_code)
    assert.equal(body.error.details.reason, 'access_denied')
    await page.getByRole('button', { name: 'Enter another code' }).click()
    await page.getByRole('heading', { name: 'Sign in a program' }).waitFor()
  })

  test('a code that does not exist says so where it is entered', async () => {
    await claim('BBBB-BBBB')
    await page.getByText(/There is no such code/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('a code that expires while the person looks at it says so', async () => {
    const { user_code } = await aDevice(started)
    await claim(user_code)
    await page.getByRole('heading', { name: 'Is this you?' }).waitFor()
    await change('device_codes', { expires_at: new Date().toISOString() })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'The code has expired' }).waitFor()
  })

  test('after a while the person shows who they are before they approve', async () => {
    const { device_code, user_code } = await aDevice(started)
    await claim(user_code)
    await page.getByRole('heading', { name: 'Is this you?' }).waitFor()
    await change('sessions', { authenticated_at: new Date(Date.now() - 3_600_000).toISOString() })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Confirm that it is you').waitFor()
    await page.getByLabel('Your password').fill(practice.organization.admin.password)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Send it again now.').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    assert.equal((await pollDevice(started, device_code)).status, 201)
    assert.deepEqual(complaints, [])
  })
})
