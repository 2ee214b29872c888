/** Console 5: the second factor is turned on in the settings, and asked for by the sign-in. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { generateSync } from 'otplib'
import { accessibilityViolations, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { allAppearances, picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { ageSignIns } from '../support/console/session-rows.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, dataDir, practice, browser, context, page, complaints, at } = started

describe('the second factor', { skip: missingBrowser ?? false }, () => {
  let recoveryCodes: string[] = []

  test('it is turned on with the first code, and the recovery codes are downloaded once', async () => {
    await page.goto(at('/documents'))
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('heading', { name: 'Add it to your authenticator app' }).waitFor()
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'second-factor', allAppearances)
    const url = await page.evaluate<string>(`document.querySelector('a[href^="otpauth:"]').href`)
    const secret = new URL(url).searchParams.get('secret')!
    await page.getByText(secret.match(/.{4}/g)!.join(' ')).waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByText('Copied the secret').first().waitFor()
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), secret)
    await page.getByLabel('Code from the app').fill(generateSync({ secret }))
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click()
    const codes = page.getByRole('heading', { name: 'Keep your recovery codes' })
    await codes.waitFor()
    for (const leave of ['back', 'Escape', 'back']) {
      if (leave === 'back') await page.evaluate('history.back()')
      else await page.keyboard.press(leave)
      await page.getByText('They are not shown again: store them first').first().waitFor()
      assert.equal(await codes.count(), 1)
    }
    const downloading = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
    const file = readFileSync(await (await downloading).path(), 'utf8')
    recoveryCodes = file.trimEnd().split('\n')
    assert.equal(recoveryCodes.length, 10)
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.getByText('Recovery codes left').waitFor()
  })

  test('the sign-in asks for the code, says when it is wrong, and takes a recovery code', async () => {
    const context = await browser.newContext()
    const visit = await watchedPage(context, baseUrl)
    const { email, password } = practice.organization.admin
    await visit.page.goto(`${baseUrl}/app/sign-in`)
    await visit.page.getByLabel('E-mail').fill(email)
    await visit.page.getByLabel('Password').fill(password)
    await visit.page.getByRole('button', { name: 'Sign in' }).click()
    await visit.page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await picture(visit.page, 'second-factor-sign-in', allAppearances)
    const autocomplete = `document.querySelector('input[name=code]').autocomplete`
    assert.equal(await visit.page.evaluate(autocomplete), 'one-time-code')
    await visit.page.getByLabel('Code').fill('00000')
    await visit.page.getByRole('button', { name: 'Sign in' }).click()
    await visit.page.getByText(/The code is wrong/).waitFor()
    await visit.page.getByLabel('Code').fill(recoveryCodes[0]!)
    await visit.page.getByRole('button', { name: 'Sign in' }).click()
    await visit.page.getByRole('heading', { name: /^Good / }).waitFor()
    assert.deepEqual(visit.complaints, [])
    await context.close()
  })

  test('what needs a recent sign-in asks for a code, and works when it is sent again', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/keys`)
    await page.getByRole('button', { name: 'New key' }).first().click()
    await ageSignIns({ dataDir, practice })
    const dialog = page.getByRole('dialog')
    await page.getByLabel('Name').fill('erp')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Confirm that it is you').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByLabel(/recovery code/).fill('00000')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(/The code is wrong/).waitFor()
    await page.getByLabel(/recovery code/).fill(recoveryCodes[2]!)
    await page.keyboard.press('Enter')
    await page.getByText('Send it again now.').waitFor()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  })

  test('it is turned off with a recovery code', async () => {
    await page.goto(at('/settings'))
    await page.getByText('Recovery codes left').waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByLabel(/^Code$/).fill(recoveryCodes[1]!)
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await page.getByText(/Moving live money needs it/).waitFor()
    assert.deepEqual(complaints, [])
  })
})
