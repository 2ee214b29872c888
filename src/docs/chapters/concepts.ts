/** What the service is about: documents, connections, numbers, money and conversions. */
import { type ConversionEffect, conversions } from '../../contract/conversions.ts'
import { phases } from '../../contract/document-phases.ts'
import { limits } from '../../contract/limits.ts'
import { exampleDocuments } from '../examples/documents.ts'
import { type Section, codeSpan, list, table, text } from '../blocks.ts'

const effects: Record<ConversionEffect, string> = {
  convert: 'The quote becomes `converted`; a second conversion is refused.',
  bill: 'Counts towards the order, which becomes `fulfilled` when its subtotal is reached.',
  fulfil: 'The order can no longer be cancelled.',
  credit: 'Reduces the balance of the invoice, which becomes `paid` when nothing is left.',
}

const searchOperatorRows: readonly (readonly [operators: readonly string[], meaning: string])[] = [
  [
    ['status:', 'type:', 'currency:'],
    'Documents with one of these values: `status:sent,approved`.',
  ],
  [['is:overdue', 'is:draft'], 'Overdue documents; your own drafts.'],
  [['number:', 'ref:', 'sku:'], 'Words of the numbers, external references or SKUs.'],
  [
    ['party:', 'from:', 'to:'],
    'Words of the name of the other party, the issuer or the counterparty.',
  ],
  [
    ['total:', 'due:'],
    'An amount or a date, also after `<`, `<=`, `>` or `>=`: `due:<2026-12-01`.',
  ],
  [['"oak boards"', '-slate'], 'A phrase; documents without the word or phrase after the minus.'],
]

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
          'A document is **one** shared record between two organizations. Each side reads its own projection of it: an invoice for the issuer is a bill for the counterparty. Nothing is copied or sent back and forth, so the two sides never disagree about amounts or states.',
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
          '`metadata` is visible only to the issuer. `allowed_transitions` and `payable` show what you can do with the document now. A record that is not yours looks as if it did not exist: the response is the same [not_found](#errors-not_found) as for a wrong id.',
        ),
      ],
    },
    {
      id: 'connections',
      title: 'Connections',
      blocks: [
        list(
          'Documents are exchanged over a connection between two organizations. An admin invites an organization by its id, or a person by e-mail, with `POST /v1/connections`.',
          'An invitation by e-mail is visible to the user who signs in with that address, and is accepted for the organization that the session acts for.',
          'The invited side can accept or decline an invitation, the inviter can withdraw it, and either side can end an active connection. `allowed_transitions` shows what you can do now.',
          'An ended connection accepts no new documents, and its drafts cannot be issued. Documents that both sides have seen continue: they can be approved, disputed and paid.',
          '`declined` and `ended` are final. To start again, send another invitation, which creates a new connection.',
        ),
      ],
    },
    {
      id: 'drafts',
      title: 'Drafts',
      blocks: [
        list(
          'A new document is a draft. The organization that creates it is the issuer, and nobody else can see it.',
          'Edit a draft with PATCH: line items, `external_refs` and `metadata` are replaced as a whole, and all totals are recalculated.',
          '`POST /v1/documents/{id}/issue` is the only way to show a draft to the counterparty. An issued document is immutable: correct it with a credit note or a new document.',
          'To discard a draft, move it to `cancelled`. It keeps its number, so that the series has no unexplained gaps.',
        ),
      ],
    },
    {
      id: 'attachments',
      title: 'Attachments',
      blocks: [
        list(
          '[Upload](#attachments.create) a file as a form: `curl -F file=@delivery-note.pdf`. Either side can attach files to a document that it can see; the files of a draft become visible to the counterparty when it is issued.',
          '[Retrieving](#attachments.get) an attachment returns a `download_url`, which anyone can use without a key for five minutes. Retrieve it again for a new one.',
          '`sha256` is the hash of the file; the download repeats it in `Repr-Digest`.',
        ),
      ],
    },
    {
      id: 'numbers',
      title: 'Document numbers and dates',
      blocks: [
        list(
          'The service assigns `number`: a prefix for the type and side, and a count without gaps. The issuer’s number is assigned when the draft is created, the counterparty’s when it is issued. Both sides can read the issuer’s number in `issuer_number`; quote it when you pay.',
          'Store a number of your own in `external_refs.issuer_ref`.',
          'A `document_date` that you send is kept. Without one, a draft has the date of its creation, and issuing changes it to the date of issue.',
          'A draft shows its issuer whether it can be issued now: `issuable`, and in `blockers` the [reasons](#errors-conflict) why not, as the refusal would name them. Events leave both out, since they depend on other records.',
          'Send either `payment_terms` or `due_date`, and the other is derived. [Payment terms](#payment-terms) lists the recognised forms; any other text is stored without a due date.',
        ),
      ],
    },
    {
      id: 'money',
      title: 'Money',
      blocks: [
        list(
          'Amounts are JSON numbers in major units: `19.99`. Quantities and unit prices can have up to 6 decimals; amounts in responses have at most 2.',
          'Tax belongs to each line: a `tax_rate` of 0.08 means 8 %. A tax field on the document is refused.',
          'For each line, gross = quantity × unit price, rounded; the discount is taken off gross; net = gross − discount. Tax is then rounded once per rate, on the sum of its lines, and total = subtotal + tax. Halves round up.',
          '`balance_due` is what is owed now: total − paid − credited. It is 0 for types that nobody pays, and once a document is settled or closed.',
          'The service calculates all totals: `subtotal`, `tax`, `total` and `balance_due` in a body are refused as `read_only`.',
        ),
      ],
    },
    {
      id: 'conversion',
      title: 'Converting documents',
      blocks: [
        table(
          ['From', 'To', 'Made by', 'When it is issued'],
          conversions.map(({ from, to, by, effect }) => [
            codeSpan(from),
            codeSpan(to),
            by === 'either' ? 'issuer or counterparty' : by,
            effect === undefined ? '' : effects[effect],
          ]),
        ),
        list(
          '`POST /v1/documents/{id}/convert` creates the draft. It copies lines, currency and terms unless you send others, and refers to its source with `converts` (a credit note with `credits`). The source changes only when the draft is issued.',
          'You can also send `references` yourself: `bills` and `fulfils` affect the order like `converts`; `supersedes` and `relates_to` have no effect. A document that you refer to must be on the same connection, and must be issued first.',
          'A credit note is applied immediately and reduces what the invoice owes. Any amount beyond that remains as the `balance_due` of the credit note, a refund that its issuer pays once it is approved.',
        ),
      ],
    },
    {
      id: 'searching',
      title: 'Search',
      blocks: [
        list(
          '`GET /v1/documents?query=oak 0117` finds documents in which every search word is the beginning of a word in the numbers, external references, name of the other party, line descriptions, SKUs or notes. A reference with digits, such as `SKU-9`, is one word. Case and accents do not matter, and names tolerate a typing error. An amount, such as `1,234.50`, `1.234,50` or `EUR 1234.50`, finds the documents with this total, to the cent.',
          'A document can be found as soon as the request that wrote it has returned. Results are paginated like any other list, newest first, and can be combined with all other filters. When there are very many documents, a page may be short or even empty: continue with `next_cursor`.',
        ),
        text(
          'Operators in the text restrict what is found, in the list, in its CSV and in `GET /v1/search`: `boards status:approved total:>1000 -slate`. They may stand alone, and all of them must hold. An unknown one is refused with the legal ones; to find a text with a colon, put it in quotes.',
        ),
        table(
          ['Operator', 'What it finds'],
          searchOperatorRows.map(([operators, meaning]) => [
            operators.map(codeSpan).join(' '),
            meaning,
          ]),
        ),
      ],
    },
    {
      id: 'phases',
      title: 'Phases',
      blocks: [
        text(
          'Each type has [its own states](#document-types). `phase`, a field of the document and a filter of the list, groups them across types.',
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
          'Requests and responses are JSON in UTF-8, with names in `snake_case`. Writes with a body require `Content-Type: application/json`.',
          'Ids consist of a prefix and 26 characters: `doc_…`, `con_…`, `key_…`. Timestamps are ISO 8601 in UTC with milliseconds; dates are `YYYY-MM-DD`.',
          'Unknown fields, query parameters and values are refused, with a suggestion where one is near. Conversely, ignore response fields that you do not know: this is how v1 grows.',
          '`external_refs` (visible to both sides once issued) and `metadata` (visible only to you) hold data of your own: ' +
            `up to ${limits.openMapMaxKeys} keys of ${limits.openMapKeyMaxLength} characters, values of ${limits.openMapValueMaxLength}.`,
          'Responses with a document have `ETag: "<revision>"`. Send it back as `If-None-Match` to get the document only if it has changed, or as `If-Match` with a write to have it refused with [precondition_failed](#errors-precondition_failed) if someone else was faster.',
        ),
      ],
    },
  ],
}
