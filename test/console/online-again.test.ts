/** A page that could not be loaded offline comes by itself once one is online (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { context, page, complaints, at } = started

describe('a page that was not loaded offline', { skip: skipsLong ?? false }, () => {
  test('it is there once one is online', async () => {
    await page.goto(at('/documents'))
    await page.getByRole('heading', { name: 'Documents', exact: true }).waitFor()
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Treasury', exact: true }).click()
    await page.getByText('This page could not be shown').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Treasury', exact: true }).waitFor()
    // Of what could not be loaded the router complains, and of nothing else.
    const others = complaints.filter((text) => !text.includes('The service cannot be reached'))
    assert.deepEqual(others, [])
  })
})
