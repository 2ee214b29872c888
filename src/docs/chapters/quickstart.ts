/** From the first start to an approved invoice. */
import type { Config } from '../../config.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { type Section, code, text } from '../blocks.ts'
import { manualInvoice } from './setup.ts'

export const quickstart = ({ baseUrl }: Config): Section => {
  const document = `${baseUrl}/v1/documents/$DOCUMENT_ID`
  const request = (call: CurlCall) => code('sh', curl({ credential: 'API_KEY', ...call }))
  return {
    id: 'quickstart',
    title: 'Quickstart',
    blocks: [
      text(
        'First [set up your shell](#setup): it gets the API keys of both sides, and their connection, as variables.',
      ),
      text('**1. Check your API key.** The response shows your organization and scopes.'),
      request({ method: 'GET', url: `${baseUrl}/v1/me` }),
      text(
        '**2. Create a draft invoice.** The response contains the id, number and totals of the draft, which only you can see; the id is kept for the next steps. `sandbox_scenario: manual` keeps the demo counterparty from [answering it by itself](#played-counterparty).',
      ),
      request({
        method: 'POST',
        url: `${baseUrl}/v1/documents`,
        idempotencyKey: 'quickstart-create',
        body: manualInvoice,
        keeps: { variable: 'DOCUMENT_ID', prefix: 'doc' },
      }),
      text(
        '**3. Issue the invoice.** From now on the counterparty can see it, and its content never changes.',
      ),
      request({ method: 'POST', url: `${document}/issue`, idempotencyKey: 'quickstart-issue' }),
      text(
        '**4. Act as the counterparty.** The id and the record are the same, but the counterparty sees a Bill with a number of its own. Approve it.',
      ),
      request({ method: 'GET', url: document, credential: 'DEMO_API_KEY' }),
      request({
        method: 'POST',
        url: `${document}/transition`,
        credential: 'DEMO_API_KEY',
        idempotencyKey: 'quickstart-approve',
        body: { to: 'approved' },
      }),
      text('**5. Catch up.** Retrieve the documents that have changed since a given time.'),
      request({ method: 'GET', url: `${baseUrl}/v1/documents?updated_since=2026-11-21T00:00:00Z` }),
      text(
        'Next, read about [documents and other concepts](#concepts), [document states](#document-types) and [all operations](#reference).',
      ),
    ],
  }
}
