/** Names and texts of others: as long as they come, and written from right to left too. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Page, skipsLong, watchedPage } from '../support/console/browser.ts'
import { brokenBoxes, overflowOf } from '../support/console/looks.ts'
import { showAs } from '../support/console/pictures.ts'
import { openPage } from '../support/console/routes.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { runAdmin } from '../support/processes/program.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, dataDir, browser, practice, page, complaints, post, signIn } = started

const longName = `${'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau'.repeat(2)} und Söhne`
const arabicName = 'شركة الأفق للتجارة'

const admin = async (...command: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await runAdmin(command, { DATA_DIR: dataDir })
  assert.equal(exitCode, 0, stderr)
  return stdout
}

/** A bill of an organization of that name, and the page that shows it. */
const billFrom = async (name: string): Promise<string> => {
  const email = `owner@${name === longName ? 'long' : 'arabic'}.example`
  const person = ['--admin-email', email, '--admin-name', 'Owner']
  const [issuer] = /org_\w+/.exec(await admin('organization', 'create', '--name', name, ...person))!
  const [connection] = /con_\w+/.exec(
    await admin('connection', 'create', practice.live.id, issuer),
  )!
  const [session] = /rs_live_\S+/.exec(await admin('session', email, '--organization', issuer))!
  const { id } = await post(session, '/v1/documents', {
    connection_id: connection,
    document_type: 'invoice',
    notes: name,
    line_items: [{ description: name, quantity: 1, unit_price: 20, tax_rate: 0 }],
  })
  await post(session, `/v1/documents/${id}/issue`)
  return id
}

const live = (path: string) => `${baseUrl}/app/o/${practice.live.id}${path}`

const attach = async (page: Page, name: string): Promise<void> => {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from('a delivery note') }
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.getByRole('button', { name: new RegExp(name.slice(0, 20)) }).waitFor()
}

/** Where each part of the first line of the history begins, and where it ends. */
const placesInHistory = `(() => {
  const line = document.querySelector('[aria-label="History"] li p:last-child')
  const name = document.createRange()
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  name.selectNodeContents(walker.nextNode())
  const [{ right: nameEnds }] = name.getClientRects()
  const [{ left: dateBegins }] = line.querySelector('time').getClientRects()
  return { nameEnds, dateBegins }
})()`

describe('texts of others', { skip: skipsLong ?? false }, () => {
  test('a long word in a name and a long name of a file make no page wider', async () => {
    const bill = await billFrom(longName)
    const found: string[] = []
    for (const [name, path] of [
      ['the bill', `/documents/${bill}`],
      ['its proof', `/documents/${bill}/provenance`],
      ['connections', '/connections'],
    ] as const) {
      await openPage(page, name, live(path))
      if (name === 'the bill') await attach(page, `Delivery_note_${'of_oak_boards_'.repeat(9)}.txt`)
      for (const width of [1440, 1112, 390, 320]) {
        await showAs(page, { width, colorScheme: 'light' })
        const overflow = await overflowOf(page)
        if (overflow > 0) found.push(`${name}: is ${overflow} px too wide at ${width} px`)
        found.push(...(await brokenBoxes(page)).map((broken) => `${name}: ${broken}`))
      }
    }
    assert.deepEqual(found, [])
  })

  test('a file says who has attached it, by name', async () => {
    const { demo, connection_id } = practice
    const { id } = await post(demo.api_key, '/v1/documents', {
      connection_id,
      document_type: 'invoice',
      line_items: [{ description: 'Oak', quantity: 1, unit_price: 20, tax_rate: 0 }],
    })
    await post(demo.api_key, `/v1/documents/${id}/issue`)
    await openPage(page, 'a bill', started.at(`/documents/${id}`))
    await attach(page, 'delivery.txt')
    const files = page.getByRole('region', { name: 'Attachments' })
    assert.match(await files.innerText(), /You · 1 KB/)
    const way = page.getByRole('link', { name: 'View as counterparty' })
    if (await way.isVisible()) await way.click()
    await page.getByRole('heading', { name: /^Invoice / }).waitFor()
    await page.getByRole('button', { name: /delivery\.txt/ }).waitFor()
    assert.match(await files.innerText(), /Practice Organization · 1 KB/)
  })

  test('a date stands after an Arabic name, also where it begins with a digit', async () => {
    const bill = await billFrom(arabicName)
    const german = await watchedPage(await browser.newContext({ locale: 'de-DE' }), baseUrl)
    await signIn(german.page, practice.organization.admin)
    await openPage(german.page, 'a bill', live(`/documents/${bill}`))
    await german.page.getByText('Submitted').first().waitFor()
    const { nameEnds, dateBegins } =
      await german.page.evaluate<Record<string, number>>(placesInHistory)
    assert(nameEnds! <= dateBegins!, `the name ends at ${nameEnds}, the date begins before it`)
    // What is written from right to left is also read from there.
    const notes = german.page.getByRole('region', { name: 'Lines' }).locator('p')
    assert.equal(await notes.last().getAttribute('dir'), 'auto')
  })

  test('how long ago it was is said in the language of the page', async () => {
    const german = await watchedPage(await browser.newContext({ locale: 'de-DE' }), baseUrl)
    await showAs(german.page, { width: 1440, colorScheme: 'light' })
    await german.page.clock.install()
    await signIn(german.page, practice.organization.admin)
    await german.page.clock.fastForward(180_000)
    await german.page.goto(live('/connections'))
    const row = german.page.getByRole('row', { name: /Practice Live Counterparty/ })
    assert.match(await row.innerText(), /\bminutes ago\b/)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
