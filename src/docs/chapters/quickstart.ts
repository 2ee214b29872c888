/** The guide: how to start, and what the service is. */
import type { Config } from '../../config.ts'
import { type ConversionEffect, conversions } from '../../contract/conversions.ts'
import { phases } from '../../contract/document-types.ts'
import { limits } from '../../contract/limits.ts'
import { type CurlCall, curl } from '../examples/curl.ts'
import { exampleIds } from '../examples/ids.ts'
import { exampleDocuments, exampleInvoice } from '../examples/documents.ts'
import { type Section, code, list, codeSpan, table, text } from '../blocks.ts'

export const quickstart = ({ baseUrl }: Config): Section => {
  const document = `${baseUrl}/v1/documents/$DOCUMENT_ID`
  const call = (made: CurlCall) => code('sh', curl({ credential: 'API_KEY', ...made }))
  return {
    id: 'quickstart',
    title: 'Quickstart',
    blocks: [
      text(
        'On its first start the service makes a practice pair: your sandbox organization, a demo counterparty, and a connection between them. `sandbox.json` in its data directory (`.data` unless `DATA_DIR` says otherwise) holds both API keys and the connection.',
      ),
      code(
        'sh',
        [
          "export API_KEY='rk_test_…'        # organization.api_key",
          "export DEMO_API_KEY='rk_test_…'   # demo.api_key: the other side",
        ].join('\n'),
      ),
      text('**1. Ask who you are.**'),
      call({ method: 'GET', url: `${baseUrl}/v1/me` }),
      text(
        '**2. Create a draft invoice.** Put your `connection_id` in. The answer has its id, number and totals; only you can see it.',
      ),
      call({
        method: 'POST',
        url: `${baseUrl}/v1/documents`,
        idempotencyKey: 'quickstart-create',
        body: exampleInvoice,
      }),
      text('**3. Issue it.** From now on the other side sees it, and its content never changes.'),
      code('sh', `export DOCUMENT_ID='${exampleIds.document}'   # id of the draft`),
      call({ method: 'POST', url: `${document}/issue`, idempotencyKey: 'quickstart-issue' }),
      text(
        '**4. Be the other side.** The same id, the same record: now it is a Bill with a number of its own. Approve it.',
      ),
      call({ method: 'GET', url: document, credential: 'DEMO_API_KEY' }),
      call({
        method: 'POST',
        url: `${document}/transition`,
        credential: 'DEMO_API_KEY',
        idempotencyKey: 'quickstart-approve',
        body: { to: 'approved' },
      }),
      text('**5. Catch up.** Ask for what changed since you last looked.'),
      call({ method: 'GET', url: `${baseUrl}/v1/documents?updated_since=2026-11-21T00:00:00Z` }),
      text(
        'Next: [what a document is](#concepts), [its states](#document-types), and [every operation](#reference).',
      ),
    ],
  }
}

const effects: Record<ConversionEffect, string> = {
  convert: 'the quote is `converted`; a second one is refused',
  bill: 'counts towards the order, which is `fulfilled` when its subtotal is reached',
  fulfil: 'the order can no longer be cancelled',
  credit: 'the invoice owes less, and is `paid` when nothing is left',
}

export const concepts: Section = {
  id: 'concepts',
  title: 'Concepts',
  blocks: [],
  sections: [
    {
      id: 'one-record',
      title: 'One record, two projections',
      blocks: [
        text(
          'A document is **one** shared record between two organizations. Each side reads its own projection of it: an invoice of the issuer is a bill of the counterparty. Nothing is copied or sent back and forth, so the two sides can never hold different amounts or states.',
        ),
        table(
          ['Field', 'The issuer reads', 'The counterparty reads'],
          ['id', 'direction', 'label', 'number', 'issuer_number', 'status', 'total'].map(
            (field) => [
              codeSpan(field),
              codeSpan(String(exampleDocuments.invoice[field])),
              codeSpan(String(exampleDocuments.bill[field])),
            ],
          ),
        ),
        text(
          "`metadata` is the issuer's alone. `allowed_transitions` and `payable` say what the reader can do now. What is not yours does not exist for you: the answer is [not_found](#errors-not_found), the same as for a wrong id.",
        ),
      ],
    },
    {
      id: 'connections',
      title: 'Connections',
      blocks: [
        list(
          'Documents live on a connection between two organizations. An admin invites with `POST /v1/connections`: an organization by its id, or a person by e-mail.',
          'An invitation by e-mail is seen by whoever signs in with it, and accepted for the organization that the session acts for.',
          'The invited side accepts or declines; the inviter can withdraw; either side can end an active connection. `allowed_transitions` says what you can do now.',
          'An ended connection takes no new documents, and no draft on it can be issued. What both sides have seen runs on: it can be approved, disputed and paid.',
          'Declined and ended are final. To start again, invite again: that is a connection of its own.',
        ),
      ],
    },
    {
      id: 'drafts',
      title: 'Drafts',
      blocks: [
        list(
          'A new document is a draft. Whoever creates it is the issuer, and nobody else can see it.',
          'A draft can be edited with PATCH: line items, `external_refs` and `metadata` are replaced as a whole, and all totals are derived anew.',
          '`POST /v1/documents/{id}/issue` is the one way out to the other side. An issued document is immutable; correct it with a credit note or a new document.',
          'To discard a draft, move it to `cancelled`. It keeps its number, so that the series has no unexplained gap.',
        ),
      ],
    },
    {
      id: 'attachments',
      title: 'Attachments',
      blocks: [
        list(
          'Send a file as a form: `curl -F file=@delivery-note.pdf`. Whoever sees a document may attach to it; files of a draft are shown to the other side when it is issued.',
          'Reading an attachment answers a `download_url`. It gives the bytes to whoever has it, without a key, for five minutes. Read again for a fresh one.',
          '`sha256` is of the bytes; the download repeats it in `Repr-Digest`.',
        ),
      ],
    },
    {
      id: 'numbers',
      title: 'Numbers and dates of a document',
      blocks: [
        list(
          "The service assigns `number`: the prefix of the type for that side, and a count without gaps. The issuer's is given when the draft is made, the counterparty's when it is issued. Both sides read the issuer's in `issuer_number`; quote that one when you pay.",
          'Your own number goes into `external_refs.issuer_ref`.',
          'A `document_date` that you send stays. Without one, a draft shows the day on which it was made, and issuing dates it on the day of issue.',
          '`payment_terms` and `due_date` are two halves of one thing: send either, the other is derived. [Payment terms](#payment-terms) lists the forms; other words are kept, without a due date.',
        ),
      ],
    },
    {
      id: 'money',
      title: 'Money',
      blocks: [
        list(
          'Amounts are JSON numbers in major units: `19.99`. Quantities and unit prices take up to 6 decimals; amounts in answers have at most 2.',
          'Tax belongs to each line: `tax_rate` 0.08 means 8 %. A tax field on the document is refused.',
          'Per line: gross = quantity × unit price, rounded; discount off that; net = gross − discount. Then tax is rounded once per rate over the sum of its lines, and total = subtotal + tax. Halves round up.',
          'Totals are never sent, always derived: `subtotal`, `tax`, `total` and `balance_due` in a body are refused as `read_only`.',
        ),
      ],
    },
    {
      id: 'conversion',
      title: 'One document becomes another',
      blocks: [
        table(
          ['From', 'To', 'Made by the', 'When it is issued'],
          conversions.map(({ from, to, by, effect }) => [
            codeSpan(from),
            codeSpan(to),
            by === 'either' ? 'issuer or counterparty' : by,
            effect === undefined ? '' : effects[effect],
          ]),
        ),
        list(
          '`POST /v1/documents/{id}/convert` makes the draft: lines, currency and terms are taken over unless you send others, and it refers to its source with `converts` (a credit note with `credits`). The source takes notice when the draft is issued.',
          '`references` can be written by hand as well: `bills` and `fulfils` count on the order like `converts`; `supersedes` and `relates_to` only point. What you refer to lives on the same connection, and is issued before what refers to it.',
          'A credit note is applied at once: the invoice owes so much less. What the invoice no longer owed stays as the `balance_due` of the credit note, a refund that its issuer pays once it is approved.',
        ),
      ],
    },
    {
      id: 'search',
      title: 'Search',
      blocks: [
        list(
          '`GET /v1/documents?query=oak 0117` finds documents in which every word begins a word of the numbers, the external references, the name of the other party, line descriptions, SKUs or notes; words with digits are matched as a whole, but for the last. Case and accents do not matter; in names a typing error is forgiven.',
          'A document is found by the call after the one that wrote it. Results are newest first, in pages like any other list, and every other filter can be added. A page of a search among very many documents may be short, or empty: `next_cursor` goes on.',
        ),
      ],
    },
    {
      id: 'phases',
      title: 'Phases',
      blocks: [
        text(
          'Every type has [its own states](#document-types). `phase` groups them across types, as a field and as a filter of the list.',
        ),
        table(
          ['Phase', 'States'],
          Object.entries(phases).map(([phase, states]) => [
            codeSpan(phase),
            states.map(codeSpan).join(' '),
          ]),
        ),
      ],
    },
    {
      id: 'conventions',
      title: 'Conventions',
      blocks: [
        list(
          'JSON in and out, UTF-8, `snake_case`. Writes with a body need `Content-Type: application/json`.',
          'Ids are a prefix and 26 characters: `doc_…`, `con_…`, `key_…`. Timestamps are ISO 8601 in UTC with milliseconds, dates `YYYY-MM-DD`.',
          'A field, query parameter or value that is not known is refused, with the one you may have meant. The other way round, ignore fields of an answer that you do not know: they are how v1 grows.',
          '`external_refs` (shown to both sides from issue) and `metadata` (yours alone) hold what you like: ' +
            `up to ${limits.openMapMaxKeys} keys of ${limits.openMapKeyMaxLength} characters, values of ${limits.openMapValueMaxLength}.`,
          'A document answers `ETag: "<revision>"`. Send it back as `If-None-Match` to read only what changed, or as `If-Match` on a write to be refused with [precondition_failed](#errors-precondition_failed) when someone was faster.',
        ),
      ],
    },
  ],
}
