/** From the first start to an approved invoice. */
import type { Config } from '../../config.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { exampleInvoice } from '../examples/documents.ts'
import { type Section, code, text } from '../blocks.ts'

/** Otherwise the demo counterparty may approve the invoice before the reader does. */
const manualInvoice = {
  ...exampleInvoice,
  external_refs: { ...exampleInvoice.external_refs, sandbox_scenario: 'manual' },
}

export const quickstart = ({ baseUrl }: Config): Section => {
  const document = `${baseUrl}/v1/documents/$DOCUMENT_ID`
  const request = (call: CurlCall) => code('sh', curl({ credential: 'API_KEY', ...call }))
  return {
    id: 'quickstart',
    title: 'Quickstart',
    blocks: [
      text(
        'On its first start, the service creates a practice pair: your sandbox organization, a demo counterparty and a connection between them. `sandbox.json` in its data directory (`DATA_DIR`, by default `.data`) contains both API keys and the connection.',
      ),
      code(
        'sh',
        [
          "export API_KEY='rk_test_…'        # organization.api_key",
          "export DEMO_API_KEY='rk_test_…'   # demo.api_key: the other side",
          "export ADMIN_SESSION_TOKEN='rs_test_…'   # organization.admin_session_token: 12 hours",
        ].join('\n'),
      ),
      text('**1. Check your API key.** The response shows your organization and scopes.'),
      request({ method: 'GET', url: `${baseUrl}/v1/me` }),
      text(
        '**2. Create a draft invoice.** Replace `connection_id` with yours. The response contains the id, number and totals of the draft, which only you can see. `sandbox_scenario: manual` keeps the demo counterparty from [answering it by itself](#played-counterparty).',
      ),
      request({
        method: 'POST',
        url: `${baseUrl}/v1/documents`,
        idempotencyKey: 'quickstart-create',
        body: manualInvoice,
      }),
      text(
        '**3. Issue the invoice.** From now on the counterparty can see it, and its content never changes.',
      ),
      code('sh', `export DOCUMENT_ID='${exampleIds.document}'   # the id of the draft`),
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
