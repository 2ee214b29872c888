/** Offline, no button writes: each that does says so in its source, and one rule refuses it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, context, complaints, practice, at, post } = started
const { openSession } = started

const sources = join(import.meta.dirname, '../../console/src')

/** Up to the `>` that stands in no braces and is no arrow. */
const openingTags = (text: string): string[] =>
  text
    .split(/(?=<(?:Icon)?Button\b)/)
    .slice(1)
    .map((rest) => {
      let depth = 0
      const end = [...rest].findIndex((sign, i) => {
        if (sign === '{') depth++
        if (sign === '}') depth--
        return sign === '>' && depth === 0 && rest[i - 1] !== '='
      })
      return rest.slice(0, end)
    })

test('console 1.2: every button whose click writes is refused offline', () => {
  const escaped = globSync('**/*.tsx', { cwd: sources }).flatMap((file) =>
    openingTags(readFileSync(join(sources, file), 'utf8'))
      .filter((tag) => /\b(mutate|choose|decide|send)\(/.test(tag))
      .filter((tag) => !/\bisWrite\b|type="submit"/.test(tag))
      .map((tag) => `${file}: ${tag.replaceAll(/\s+/g, ' ')}`),
  )
  assert.deepEqual(escaped, [])
})

describe('a page offline', { skip: skipsLong ?? false }, () => {
  const isRefused = async (name: string): Promise<boolean> => {
    const button = page.getByRole('button', { name, exact: true })
    return (await button.getAttribute('aria-disabled')) === 'true'
  }

  test('console 1.2: what writes says that one is offline, and can be used again after that', async () => {
    const admin = await openSession(practice.organization.admin)
    const { id } = await post(admin, '/v1/webhooks', { url: 'http://localhost:9/hook' })
    await page.goto(at(`/webhooks/${id}`))
    await page.getByRole('button', { name: 'Ping', exact: true }).waitFor()
    const names = ['Ping', 'Edit…', 'Rotate secret…', 'Disable…', 'Delete…']
    for (const name of names) assert.equal(await isRefused(name), false, name)
    await context.setOffline(true)
    await page.getByText(/^You are offline\. What is shown/).waitFor()
    for (const name of names) assert(await isRefused(name), name)
    await page.getByRole('button', { name: 'Ping', exact: true }).focus()
    await page.getByText('You are offline.', { exact: true }).first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await until('it can be pinged', async () => !(await isRefused('Ping')))
  })

  test('console 1.2: how it looks is not changed offline, and no saved view is deleted', async () => {
    const admin = await openSession(practice.organization.admin)
    const view = { name: 'Sent', list: 'documents', query: 'direction=issued' }
    await post(admin, '/v1/saved_views', view)
    await page.goto(at('/documents?direction=issued'))
    const names = ['Compact rows', 'Theme: system. Change to light', 'Delete the view Sent']
    for (const name of names) assert.equal(await isRefused(name), false, name)
    await context.setOffline(true)
    await page.getByText(/^You are offline\. What is shown/).waitFor()
    for (const name of names) {
      assert(await isRefused(name), name)
      const button = page.getByRole('button', { name, exact: true })
      await button.press('Enter')
      const reason = await button.getAttribute('aria-describedby')
      assert.equal(await page.locator(`[id="${reason}"]`).innerText(), 'You are offline.')
    }
    const pressed = page.getByRole('button', { name: 'Compact rows', exact: true })
    assert.equal(await pressed.getAttribute('aria-pressed'), 'false')
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    for (const name of names)
      await until(`${name} can be used`, async () => !(await isRefused(name)))
    await page.getByRole('button', { name: 'Delete the view Sent', exact: true }).click()
    await page.getByText('“Sent” is deleted.').first().waitFor()
  })

  test('console 1.2: offline, preferences cannot be changed, and say why', async () => {
    await page.goto(at('/settings'))
    const rows = page.getByRole('combobox', { name: 'Rows', exact: true })
    const isDisabled = async () => (await rows.getAttribute('disabled')) !== null
    await rows.waitFor()
    await context.setOffline(true)
    await page.getByText(/^You are offline\. What is shown/).waitFor()
    assert(await isDisabled())
    const box = page.getByRole('checkbox', { name: /^Failed payments/ })
    const isTicked = await box.isChecked()
    await box.press('Space')
    assert.equal(await box.isChecked(), isTicked)
    const reason = await rows.getAttribute('aria-describedby')
    assert.equal(await page.locator(`[id="${reason}"]`).innerText(), 'You are offline.')
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await until('it can be changed', async () => !(await isDisabled()))
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
