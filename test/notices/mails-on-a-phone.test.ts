/** Decision 0115: a notice can be read on a phone, in light and dark, whatever names are in it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type NoticeFacts, noticeMail } from '../../src/core/notices/notice-mail.ts'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'

const browser = missingBrowser === undefined ? await launchBrowser() : undefined

const failedPaymentTo = (partner: string): NoticeFacts => ({
  kind: 'payment_failed',
  isPayer: true,
  amount: '1234567.00 EUR',
  partner,
  document: 'Bill BILL-000123',
  document_id: 'doc_01h455vb4pex5vsknk084sn02q',
  message: 'The account has insufficient funds.',
})

const invitation: NoticeFacts = {
  kind: 'member_invitation',
  invited_by: 'W'.repeat(200),
  role: 'approver',
  token: 'it_abcdefgh_abcdefghijklmnopqrstuvwxyz0123456789',
  expires_at: '2026-11-26T12:00:00.000Z',
}

describe('mails on a phone', { skip: missingBrowser ?? false }, () => {
  test('no mail is wider than the screen, and each follows the colours of the device', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 320, height: 640 }
      const context = await browser!.newContext({ viewport, colorScheme })
      const page = await context.newPage()
      for (const facts of [failedPaymentTo('Acme'), failedPaymentTo('W'.repeat(200)), invitation]) {
        const organization = { id: 'org_01h455vb4pex5vsknk084sn02q', name: 'Acme', mode: 'live' }
        const appUrl = 'https://documents.example.com/app'
        const { html } = noticeMail(facts, { organization, appUrl })
        await page.goto(`data:text/html,${encodeURIComponent(html)}`)
        assert.equal(await overflowOf(page), 0, html)
        const isDark = await page.evaluate<boolean>(
          `getComputedStyle(document.body).color === 'rgb(255, 255, 255)'`,
        )
        assert.equal(isDark, colorScheme === 'dark')
      }
      await context.close()
    }
  })
})
