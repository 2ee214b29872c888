/** Documents in the formats of others, and the answer of a buyer to an invoice (domain 7). */
import type { Config } from '../../config.ts'
import { responseActions, responseCodes } from '../../contract/code-lists.ts'
import { type DocumentTypeName, documentTypeNames } from '../../contract/document-types.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { type RenderFormat, renderFormats } from '../../contract/render-formats.ts'
import { turns, workClasses } from '../../contract/work-classes.ts'
import { formatsOf, renderers } from '../../core/interop/render-formats.ts'
import { type Section, codeSpan, json, list, table, text } from '../blocks.ts'
import { fetchedExports } from './fetched-exports.ts'
import { validationSection } from './imports.ts'

const typesWith = (format: RenderFormat): string => {
  const types = documentTypeNames.filter((type: DocumentTypeName) =>
    formatsOf(type).includes(format),
  )
  return types.length === documentTypeNames.length ? 'all' : types.map(codeSpan).join(', ')
}

const codeOf: readonly [state: string, code: keyof typeof responseCodes][] = [
  ['`submitted`', 'AB'],
  ['`acknowledged`', 'IP'],
  ['`disputed`', 'UQ'],
  ['`approved` with a `reason_code`, or after a dispute in which a credit note was issued', 'CA'],
  ['`rejected`', 'RE'],
  ['`approved`', 'AP'],
  ['`paid` by a payment', 'PD'],
]

const invoiceResponses: Section = {
  id: 'invoice-responses',
  title: 'Invoice responses',
  blocks: [
    text(
      '`format=invoice_response` is what the buyer has answered to an invoice or credit note, as Peppol BIS Invoice Response 3: a message from the buyer to the seller. Either side gets it, in the same bytes until the document moves on. Its state is the code:',
    ),
    table(
      ['State', 'Code', 'Meaning'],
      codeOf.map(([state, code]) => [state, codeSpan(code), responseCodes[code]]),
    ),
    text(
      'While a payment is scheduled, the response is that of the approval. A draft, a cancelled invoice and one that was settled by credit notes alone have none, and codes never go back in the order of this table: a dispute after the approval, a dispute that was withdrawn and a payment that was returned are not reported. What the seller does with a credit note, to apply or refund it, leaves the last answer to it in force, so that none is `PD`. Without a response, the answer is 409 `conflict` with the reason `not_exportable`, and [the checks](#documents.checks) name the rule.',
    ),
    text(
      'The `reason_code` of the [transition](#documents.transition) becomes the reason, and its `note` the text. Two kinds of lines in the note say more:',
    ),
    list(
      '`Action: CNF, NIN` asks for actions of the table below.',
      '`BT-13: PO-7` says what the invoice should state instead, by the number of its business term in EN 16931; `Buyer process reference: 4711` is understood as well.',
    ),
    json({
      to: 'rejected',
      reason_code: 'REF',
      note: 'The order is missing.\nBT-13: PO-7\nAction: CNF, NIN',
    }),
    table(
      ['Action', 'Meaning'],
      Object.entries(responseActions).map(([code, meaning]) => [codeSpan(code), meaning]),
    ),
    text(
      'A dispute, a rejection or a condition without a `reason_code` has the reason `OTH`. Its date is the day of the transition, or for `PD` the day on which the payment was begun.',
    ),
  ],
}

const references: Section = {
  id: 'exported-references',
  title: 'References',
  blocks: [
    text(
      'These keys of `external_refs` have a place in the formats of others. Imports set them, too, that of a CSV only `issuer_ref`. The PDF prints all keys, these with a name in its language; `json` has them as they are.',
    ),
    table(
      ['Key', 'Business term', 'What is written'],
      [
        [
          '`buyer_ref`',
          'BT-10, `BuyerReference`',
          'What the buyer routes the document by: for public authorities in Germany, the Leitweg-ID that they have given you. Peppol wants one in each invoice: without it, the id of the connection stands in.',
        ],
        [
          '`order_ref`',
          'BT-13, `OrderReference`',
          'The number of the buyer’s order, also as `order_number` in `csv`. A purchase order on record that `references` names stands before it.',
        ],
        [
          '`issuer_ref`',
          'None',
          'Your own number. BT-1 is the `number` that the document has here, also where it was imported: the number of the file is then kept in this key.',
        ],
      ],
    ),
  ],
}

const { pdfs } = turns
const { heavy } = workClasses

const manyExports: Section = {
  id: 'many-exports',
  title: 'Many exports',
  blocks: [
    text(
      `An organization has ${pdfs.runningPerOrganization} PDF made at a time, and each process of the service makes ${pdfs.running}. Up to ${pdfs.waitingPerOrganization} requests of an organization for PDFs wait for their turn (${pdfs.waiting} of all), for at most ${pdfs.waitMaxMs / 1000} s, and one is made within ${interopLimits.pdfMaxMs / 1000} s. The other formats, and what a PDF is made of, are read in the turns of verified reads: ${heavy.runningPerOrganization} at a time, ${heavy.waitingPerOrganization} that wait, ${heavy.waitMaxMs / 1000} s.`,
    ),
    text(
      'Beyond that, the answer is 503 [service_unavailable](#errors-service_unavailable) with `Retry-After`: nothing was made, so wait that long and send the same request again. For many documents, send one request after the other. A PDF that was made is kept for a while, and asking for it again waits for no other PDF.',
    ),
  ],
}

const csvCells: Section = {
  id: 'csv-cells',
  title: 'CSV',
  blocks: [
    text(
      '`format=csv` has a header and one row per line item, which repeats the fields of the document. It is RFC 4180 in UTF-8, without a byte order mark: commas between the cells, CRLF between the rows, and quotation marks around a cell that contains a comma, a quotation mark or a line break. Numbers have a point, amounts with two decimals, and quantities and prices with those that they have. New columns are only ever added at the end, so read them by their names.',
    ),
    text(
      'No cell is a formula (CSV injection). A text that begins with `=`, `+`, `-`, `@`, their full-width forms, a tab or a line break is preceded by an apostrophe, also if it has apostrophes before that, and so is each part of it after a semicolon, a tab or a line break, there also if a quotation mark comes before the character; numbers such as `-5.00` are not. To read the text as it was, take one apostrophe off wherever apostrophes stand there before one of these characters or that quotation mark. [Imports](#imports) do that. It is so in all CSV files of the service.',
    ),
  ],
}

export const exportsSection = (config: Config): Section => ({
  id: 'exports',
  title: 'Exports',
  blocks: [
    text(
      '[GET /v1/documents/{id}/render](#documents.render) sends a document in a format of others. All but the invoice response show it as it was issued, with the profiles that both parties had then; later payments and credit notes are other documents.',
    ),
    table(
      ['`format`', 'Media type', 'Types'],
      renderFormats.map((format) => [
        codeSpan(format),
        codeSpan(renderers[format].mediaType),
        typesWith(format),
      ]),
    ),
    text(
      '`cii` is the invoice that Factur-X carries: EN 16931 and no more. `peppol_cii` differs from it in the specification and process that it names, which Peppol asks for, and needs the electronic addresses of both sides.',
    ),
    text(
      'Issuing never refuses for a profile that is incomplete. What a format needs and a profile lacked at issue is 409 [conflict](#errors-conflict) with `details.reason` `profile_incomplete` and the `fields`; each side completes its own with [PATCH /v1/organization](#organization.update), where absent fields stay, null removes, and `address`, `electronic_address` and `bank` are replaced as a whole: send them with all that is to stay. For that document a field is then filled once and for all, from the first profile after issue that has it: later changes do not reach it. Of a VAT number only the form of its country is checked, and not that it was assigned: ask VIES or your tax office for that. `json` and `csv` need nothing, and show the profiles at issue as they were. A PDF gets its XML, and the fields of it, once nothing is missing any more.',
    ),
    text(
      'EN 16931 asks for a due date or terms where something is due (BR-CO-25). `ubl` and `cii` of an invoice that has neither say `No payment terms stated`; the other formats say nothing.',
    ),
    text(
      'A format that the type lacks is 406 [not_acceptable](#errors-not_acceptable) with `available`. [GET /v1/documents/{id}/checks](#documents.checks) names every rule of EN 16931 and Peppol that an export would break, for drafts too. It also names, not `fatal`, each line with a tax rate of 0 and no `tax_category` (`BT-151`): exports say `Z`, zero rated, of it, which is not what exempt, exported or reverse-charged supplies are.',
    ),
    text(
      'EN 16931 wants the day (`BT-72`) and the country (`BT-80`) of the delivery where a supply within the EU (`K`) is billed, and a document has no field for them. `ubl`, `cii` and what is made of them say the document date and the country of the buyer, and the checks name both, not `fatal`. Goods that went elsewhere need an invoice that is made in another program.',
    ),
    text(
      'The font of PDFs has Latin, Greek and Cyrillic. A PDF shows an empty box (□) for each character of another script, such as Japanese or Arabic, and for emoji; what is copied from it or read aloud is the text itself. Nothing is refused for it, and all other formats keep the text, also the XML in the PDF. For `pdf` and `facturx`, the checks name the first field with such a character, not `fatal` (`PDF-FONT`).',
    ),
  ],
  sections: [
    fetchedExports(config),
    references,
    csvCells,
    manyExports,
    invoiceResponses,
    validationSection,
  ],
})
