/** What clients keep as witnesses of the history. */
import type { Config } from '../../config.ts'
import { curl } from '../examples/curl.ts'
import { exampleReceipt } from '../examples/ids.ts'
import { type Section, code, list, text } from '../blocks.ts'
import { verifierPath } from './provenance.ts'

export const receipts = ({ baseUrl }: Config): Section => ({
  id: 'receipts',
  title: 'Receipts',
  blocks: [
    text(
      'The response of a write that extends the history of a document has a header with its newest event, `<stream> <seq> <event hash>`. A replay has the same header; a dry run and a refusal have none. Keep these lines: whoever has them is a witness of what the service has acknowledged.',
    ),
    code('http', `Svc-Event: ${exampleReceipt}`),
    list(
      'A write that changes several documents names the one that it answers with: issuing a credit note names the credit note, not the invoice; [converting](#documents.convert) a document names the new draft.',
      'A write that finds nothing left to do, such as paying a second time, names the newest event that there is.',
      'A [reset](#sandbox.reset), a [new sandbox](#sandboxes.create), a [clock that moves](#sandbox.clock.advance) and the writes of [loans](#finance.offers.accept) change many documents, so their responses name no event.',
    ),
    text(
      'Keep the lines of all documents in one file, and compare a bundle with it: it must have every event that was acknowledged to you. If the operator restores an older state of a document with its whole history, the verifier says RECEIPT.',
    ),
    code(
      'sh',
      [
        `curl -O ${baseUrl}${verifierPath('verify-bundle.mjs')}`,
        get(baseUrl, '/v1/log/keys', 'trust.json'),
        `${curl({
          method: 'POST',
          url: `${baseUrl}/v1/documents/$DOCUMENT_ID/transition`,
          credential: 'DEMO_API_KEY',
          idempotencyKey: 'receipts-acknowledge',
          body: { to: 'acknowledged' },
        })} \\
  --fail-with-body -sSD - -o /dev/null | tr -d '\\r' | sed -n 's/^[Ss]vc-[Ee]vent: //p' >> receipts.txt`,
        get(baseUrl, '/v1/documents/$DOCUMENT_ID/export', 'invoice.svc-proof.json'),
        'node verify-bundle.mjs invoice.svc-proof.json --trust trust.json --receipts receipts.txt',
      ].join('\n'),
    ),
    text(
      'The [SDKs](#setup) do this while they work: with `receipts`, every answer about a document, every event of the feed and every webhook that you hand over is compared with what was acknowledged before. An older state or another history is a `ReceiptError`, or calls your hook. Keep the store apart from the service, and one store per organization.',
    ),
    code(
      'ts',
      [
        "import { Docex } from 'docex'",
        "import { Receipts } from 'docex/receipts'",
        "import { FileReceiptStore } from 'docex/file-receipt-store'",
        '',
        "const receipts = new Receipts(new FileReceiptStore('receipts.json'))",
        'const docex = new Docex({ receipts })',
        'await receipts.event(event) // of a webhook, once its signature was verified',
      ].join('\n'),
    ),
    text(
      'Such a line is your word against that of the service. Once the event is logged, which takes less than a second, its [signed receipt](#documents.receipt) is the word of the service: it shows no content, never changes, and can be verified without this service.',
    ),
    code(
      'sh',
      [
        get(baseUrl, '/v1/documents/$DOCUMENT_ID/receipts/1', 'receipt.json'),
        'node verify-bundle.mjs receipt.json --receipt --trust trust.json',
      ].join('\n'),
    ),
    text(
      'If a later bundle has another event in that place, `node fraud-proof.mjs receipt.json invoice.svc-proof.json --trust trust.json --out proof.json` proves it to anybody who has the keys of the log.',
    ),
  ],
})

const get = (baseUrl: string, path: string, file: string): string =>
  `${curl({ method: 'GET', url: `${baseUrl}${path}`, credential: 'API_KEY' })} > ${file}`
