/** Histories that verify, and one that does not, in the console (console 5.13). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const verifier = join(import.meta.dirname, '../../verifier/verify-bundle.mjs')

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { context, page, complaints, practice, at, issueBill, get, post, openSession } = started
const bill = missingBrowser === undefined ? await issueBill('Oak boards') : ''

describe('proofs in the console', { skip: missingBrowser ?? false }, () => {
  const kept = { bundle: '' }

  test('console 5.13: a good history says so, and its bundle verifies offline and here', async () => {
    const key = practice.organization.api_key
    await post(key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await until('all of it is logged', async () => {
      const { verification } = await get(key, `/v1/documents/${bill}/history`)
      return verification.logged_through_seq === verification.events
    })
    await page.goto(at(`/documents/${bill}/provenance`))
    await page.getByText('History intact').waitFor()
    const { verification } = await get(key, `/v1/documents/${bill}/history`)
    const said = new RegExp(`^${verification.events} steps, checked by the service just now, .*\\d`)
    await page.getByText(said).waitFor()
    await page.getByRole('button', { name: 'Copy the hash of the last step' }).waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the proof' }).click()
    kept.bundle = readFileSync(await (await downloading).path(), 'utf8')
    const digest = createHash('sha256').update(kept.bundle).digest('hex')
    const shown = page.getByRole('button', { name: 'Copy Svc-Bundle-Digest' })
    assert.equal((await shown.innerText()).trim(), digest)
    const folder = temporaryFolder()
    const [bundle, trust] = [join(folder, 'bundle.json'), join(folder, 'trust.json')]
    writeFileSync(bundle, kept.bundle)
    writeFileSync(trust, JSON.stringify(await get(key, '/v1/log/keys')))
    const output = execFileSync(process.execPath, [verifier, bundle, '--trust', trust])
    assert.match(String(output), /VALID/i)
    assert.equal(await page.getByText('Re-checked in this browser').count(), 0)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Valid', { exact: true }).waitFor()
    await page.getByText('Re-checked in this browser').waitFor()
    const session = await openSession(practice.organization.admin)
    await until('the step is marked', async () => {
      const { first_steps } = await get(session, '/v1/preferences')
      return first_steps.proof_verified && !first_steps.signature_verified
    })
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.evaluate('scrollTo(0, 0)')
    await picture(page, 'proof-rechecked')
  })

  test('console 1.10: offline, nothing was found, and a kept file is checked with a kept key', async () => {
    const key = practice.organization.api_key
    const [vkey] = (await get(key, '/v1/log/keys')).keys
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Could not check (offline)').first().waitFor()
    await page.getByText(/this says nothing about the history/).waitFor()
    await page.getByText('Not re-checked in this browser').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.evaluate('scrollTo(0, 0)')
    await picture(page, 'proof-offline')
    await page.getByLabel('Key that you trust').fill(vkey)
    const buffer = Buffer.from(kept.bundle)
    await page
      .getByLabel('Bundle to check')
      .setInputFiles({ name: 'bundle.json', mimeType: 'application/json', buffer })
    await page.getByText('Valid', { exact: true }).waitFor()
    await page.getByText('Not re-checked in this browser').waitFor()
    await context.setOffline(false)
    await page.getByText('History intact').waitFor()
  })

  test('console 1.2: the lineage has the payment that followed, and closes what is not ours', async () => {
    const key = practice.organization.api_key
    const paid = await issueBill('Elm boards')
    await page.goto(at(`/documents/${paid}/provenance`))
    const lineage = page.getByRole('region', { name: 'What led to it, and what followed' })
    await lineage.getByText('No other document or payment is linked to it yet').waitFor()
    await post(key, `/v1/documents/${paid}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${paid}/pay`)
    await lineage.getByText('Settled by → Payment').waitFor()
    await lineage
      .getByText(/^A change of Bill BILL-\d+ that only the other side can read$/)
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.13: a file that was changed is red, and its first wrong entry is named', async () => {
    const bundle = JSON.parse(kept.bundle)
    bundle.events[1].header.at = '2020-01-01T00:00:00.000Z'
    const buffer = Buffer.from(JSON.stringify(bundle))
    await page.goto(at(`/documents/${bill}/provenance`))
    await page
      .getByLabel('Bundle to check')
      .setInputFiles({ name: 'bundle.json', mimeType: 'application/json', buffer })
    await page.getByText('Invalid at entry 2').waitFor()
    await page.getByText('The entries are not in the order of their times.').waitFor()
    await page.getByText('ORDER', { exact: true }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.13: a row that was changed in the database is red, and nothing can be done', async () => {
    const database = await openTestConnection(practice.database_url)
    // As somebody who owns the database: its triggers refuse the change otherwise.
    await database.run(sql`set session_replication_role = replica`)
    await database.run(sql`
      update prov_event set at = at + interval '1 second'
      where document_id = ${decodeId('doc', bill)!} and seq = 2`)
    await database.close()
    await page.goto(at(`/documents/${bill}/provenance`))
    const alert = page.getByRole('alert')
    await alert.getByText('This history does not verify').waitFor()
    await page.getByText('Does not verify', { exact: true }).waitFor()
    const refused = await get(practice.organization.api_key, `/v1/documents/${bill}/history`)
    const [{ seq, check }] = refused.error.details.failures
    assert.equal(check, 'CHAIN')
    await alert.getByText(`Entry ${seq}`).waitFor()
    await alert.getByText('The chain of the entries is broken.').waitFor()
    await picture(page, 'proof-broken')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.goto(at(`/documents/${bill}`))
    await alert.getByText('This history does not verify').waitFor()
    const pay = page.getByRole('button', { name: /^Pay/ })
    assert.equal(await pay.getAttribute('aria-disabled'), 'true')
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.2: Home says that a document failed verification, and leads to its proof', async () => {
    await page.goto(at('/'))
    const line = page.locator('[data-warning]', { hasText: 'A document failed verification' })
    await line.getByText('Nobody can change or pay it until').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'home-broken')
    await line.getByRole('link').click()
    await page.waitForURL(/\/documents\/doc_\w+\/provenance$/)
    await page.getByRole('alert').getByText('This history does not verify').waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
