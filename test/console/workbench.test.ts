/** The Workbench: what lies behind a page, in a pane below it (console 1.6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { brokenBoxes, overflowOf } from '../support/console/looks.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, context, page, complaints, practice, at, get, openSession, issueBill } = started
const bill = skipsLong === undefined ? await issueBill('Oak boards') : ''
const missing = '/v1/documents/doc_01m8fa1yr5f3x9g3gdd516m7q'

describe('the Workbench', { skip: skipsLong ?? false }, () => {
  const pane = () => page.getByRole('complementary', { name: 'Workbench' })
  const focused = () => page.evaluate<string>('document.activeElement.innerText')
  const openTool = (name: string) => pane().getByRole('tab', { name }).click()
  const send = () => pane().getByRole('button', { name: 'Send', exact: true }).click()
  const answer = () => pane().getByRole('region', { name: 'What was answered' })

  const isWhole = async (where: string): Promise<void> => {
    assert((await overflowOf(page)) <= 0, `${where} is too wide`)
    // What floats over the page may lie upon it: the pane is seen in its place among the others.
    const setPosition = (position: string) =>
      page.evaluate(
        `document.querySelector('[aria-label="Workbench"]').style.position = '${position}'`,
      )
    await setPosition('static')
    assert.deepEqual(await brokenBoxes(page), [], where)
    await setPosition('')
  }

  const isSoundEverywhere = async (name: string): Promise<void> => {
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      await page.evaluate('scrollTo(0, 0)')
      assert.deepEqual(await accessibilityViolations(page), [], name)
      await isWhole(`${name} at ${appearance.width} px`)
    }
    await showAs(page, { width: 320, colorScheme: 'light' })
    assert((await overflowOf(page)) <= 0, `${name} is too wide at 320 px`)
    await picture(page, `workbench-${name}`, allAppearances)
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    await isWhole(`${name} with text of twice the size`)
    await page.evaluate(`document.documentElement.style.fontSize = ''`)
  }

  test('one key opens and closes it over any page; the focus goes there and back', async () => {
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.goto(at('/connections'))
    await page.getByRole('button', { name: 'Invite' }).focus()
    await page.keyboard.press('`')
    await pane().waitFor()
    await until('the pane has the focus', async () => (await focused()) === 'Requests')
    await pane().getByText('GET /v1/connections').first().waitFor()
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await pane().getByText('GET /v1/documents?limit=50').first().waitFor()
    await isSoundEverywhere('requests')
    await pane().getByRole('tab', { name: 'Requests' }).press('Escape')
    await pane().waitFor({ state: 'hidden' })
    await page.goto(at('/documents/new'))
    await page.getByLabel('Notes').press('`')
    assert.equal(await pane().count(), 0, 'a field takes the key')
  })

  test('what was refused is grouped by code, endpoint and key, and says what to do', async () => {
    const key = practice.organization.api_key
    for (const end of ['8', '9', 'a']) await callApi({ baseUrl }, 'GET', missing + end, { key })
    await callApi({ baseUrl }, 'GET', '/v1/documents?stauts=paid', { key })
    const session = await openSession(practice.organization.admin)
    await until('the calls are in the log', async () => {
      const { data } = await get(session, '/v1/requests?status=400,404&limit=100')
      return data.length >= 4
    })
    await page.goto(at('/documents'))
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    await page.keyboard.press('`')
    await openTool('Errors')
    const group = (name: string) => pane().getByRole('article', { name })
    const notFound = group('not_found, GET /v1/documents/{id}')
    await notFound.getByText('3 times').waitFor()
    await notFound.getByText('Check the id and which organization').waitFor()
    const invalid = group('invalid_request, GET /v1/documents')
    await invalid.getByText('Latest answer').click()
    await invalid.getByText('Fix: ').waitFor()
    await isSoundEverywhere('errors')
    await notFound.getByRole('link', { name: 'Show its requests' }).click()
    await page.waitForURL((url) => url.search.includes('status=404'))
    await page
      .getByRole('row', { name: /GET \/v1\/documents\/doc_/ })
      .first()
      .waitFor()
  })

  test('the events of the organization are there as they happen', async () => {
    // The edge of the pane cuts no link of this page, of which axe would see half.
    await page.getByRole('link', { name: 'Documents', exact: true }).click()
    await openTool('Events')
    await pane().getByText('document.status_changed').first().waitFor()
    await isSoundEverywhere('events')
    await pane()
      .getByRole('link', { name: /^document/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('"sequence"').waitFor()
    await page.keyboard.press('Escape')
  })

  test('the shell makes a call with the session, and a key is one effect', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill / }).waitFor()
    await page.keyboard.press('`')
    await openTool('Shell')
    const operation = () => pane().getByLabel('Operation')
    await operation().selectOption('documents.get')
    assert.equal(await pane().getByLabel('id').inputValue(), bill, 'the id of the page')
    await send()
    await answer().getByText('"direction": "received"').waitFor()
    await isSoundEverywhere('shell')

    await operation().selectOption('documents.create')
    await pane().getByLabel('Body').fill('{"notes": ')
    await send()
    await pane()
      .getByText(/^The body is not JSON/)
      .waitFor()
    await operation().selectOption('documents.comments.create')
    await pane().getByLabel('Body').fill('{"text": "It\'s the oak"}')
    const key = await pane().getByLabel('Idempotency-Key').inputValue()
    const copied = async (name: string) => {
      await pane()
        .getByRole('button', { name: `Copy as ${name}` })
        .click()
      await page.getByText(`Copied as ${name}`).first().waitFor()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    assert.match(await copied('curl'), new RegExp(`-d '\\{"text":"It'\\\\''s the oak"\\}'$`))
    assert.match(await copied('TypeScript'), /docex\.documents\.comments\.create\("doc_/)
    assert.equal(JSON.parse(await copied('MCP')).arguments.idempotency_key, key)
    await pane()
      .getByLabel(/^Dry run/)
      .press(' ')
    await send()
    await pane().getByText('Dry run: nothing has changed.').waitFor()
    await pane()
      .getByLabel(/^Dry run/)
      .press(' ')
    await send()
    await pane().getByText('201').waitFor()
    await page
      .getByRole('list', { name: /^Comments/ })
      .getByText("It's the oak")
      .waitFor()
    await pane().getByLabel('Idempotency-Key').fill(key)
    await send()
    await pane().getByText('It had been done before.').waitFor()
    const { data } = await get(practice.organization.api_key, `/v1/documents/${bill}/comments`)
    assert.equal(data.length, 1)
  })

  test('the inspector shows the JSON behind the page, and `.` what was done there', async () => {
    await openTool('Inspector')
    const shown = pane().getByRole('region', { name: `Answer to GET /v1/documents/${bill}` })
    await shown.getByText('"document_type": "invoice"').waitFor()
    await isSoundEverywhere('inspector')
    await page.keyboard.press('.')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`curl '${baseUrl}/v1/documents/${bill}'`).waitFor()
    await dialog.getByText(`-X POST '${baseUrl}/v1/documents/${bill}/comments'`).waitFor()
    await page.keyboard.press('Escape')
  })

  test('a write to a live organization is asked about first', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/connections`)
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
    await page.keyboard.press('`')
    await openTool('Shell')
    await pane().getByLabel('Operation').selectOption('preferences.update')
    await pane().getByLabel('Body').fill('{"theme": "light"}')
    const chosen = () => get(practice.live.admin_session_token, '/v1/preferences')
    const before = await chosen()
    await send()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('PATCH /v1/preferences').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'workbench-live')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await pane().waitFor()
    assert.deepEqual(await chosen(), before)
    await send()
    await dialog.getByRole('button', { name: 'Send it' }).click()
    await pane().getByText('200').waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
