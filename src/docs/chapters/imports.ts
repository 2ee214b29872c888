/** Files of others as drafts, and what is refused (domain 7). */
import { currencies } from '../../contract/currencies.ts'
import { importWarnings } from '../../contract/import-warnings.ts'
import { csvColumns } from '../../core/interop/csv-table.ts'
import { type ImportRule, importRules } from '../../core/interop/import-rules.ts'
import { type Section, codeSpan, list, table, text } from '../blocks.ts'

const groups: readonly [what: string, rules: readonly ImportRule[], instead: string][] = [
  ['Another currency', ['BT-5'], `A document is in one of ${currencies.join(', ')}.`],
  [
    'Allowances and charges on the document',
    ['BR-CO-11', 'BR-CO-12'],
    'Give allowances on the lines, and make a charge a line.',
  ],
  ['A charge on a line', ['BG-28'], 'Make it a line.'],
  [
    'Paid in part, or rounded',
    ['BR-CO-16'],
    'Import the invoice as it was before; payments have records of their own.',
  ],
  ['Negative quantities', ['BT-129'], 'Send what is given back as a credit note.'],
  ['No lines', ['BR-16'], 'Send the profile BASIC or a larger one.'],
  ['Another type, such as a corrected invoice', ['BT-3'], 'Send an invoice or a credit note.'],
]

export const importsSection: Section = {
  id: 'imports',
  title: 'Imports',
  blocks: [
    text(
      '[POST /v1/documents/import](#documents.import) makes a draft of an invoice or credit note in UBL 2.1, in CII, in a PDF that carries CII (Factur-X, ZUGFeRD 2), or in CSV as `format=csv` writes it. With `Svc-Dry-Run` it makes nothing, and `import` says the same: what was `understood`, field by field, as the file has it, and what was `ignored`. Beside the fields of the draft, that names the seller, the buyer, the totals and the taxes, which were compared with the record.',
    ),
    text(
      'The draft is addressed to the other side of `connection_id`, whoever the file names as its buyer. `warnings` says what was taken as it is and may not be meant:',
    ),
    table(
      ['`code`', 'What it says'],
      Object.entries(importWarnings).map(([code, meaning]) => [codeSpan(code), meaning]),
    ),
    text(
      'A document that was imported gets a new number of ours when it is issued, and its exports carry that one. The number in the file is kept in `external_refs.issuer_ref`, which is printed on the PDF as “Our reference”; the reference of the buyer and the number of its order are [in `buyer_ref` and `order_ref`](#exported-references).',
    ),
    text(
      'XML is read in the encoding that it declares or marks: UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 or Windows-1252; another one is refused by its name. A CSV is in UTF-8, or in UTF-16 with a byte order mark, with commas between its cells and points in its amounts, as `format=csv` writes it; a refusal names the cell that is written in another way. An amount such as `1.000` is refused, since it may count thousands.',
    ),
    text(
      'What an export puts in by itself is `ignored` when the file comes back: the marks of sandbox documents and drafts before the notes, and the id of the connection in place of a reference of the buyer.',
    ),
    text(
      `A CSV has a header and one row per line of the document. It needs the columns ${csvColumns.map(codeSpan).join(', ')}; the others are optional, and blank lines at its end count for nothing. A column that is not among those of an export is \`ignored\`, unless it is named for money, such as \`shipping\` or \`fee\`, and has an amount: that is refused. \`credited_invoice\` is the number of the invoice that a credit note credits, here or in the file it was made of, in each row.`,
    ),
    text(
      'Amounts are never adjusted. The lines are computed anew, as those of every document, and each amount of the file must be equal to the cent. What carries money and has no place in a document is refused; what carries none, such as units, addresses and payment means, is `ignored`.',
    ),
    table(
      ['What many files have', 'Refused by', 'Instead'],
      groups.map(([what, rules, instead]) => [what, rules.map(codeSpan).join(', '), instead]),
    ),
    text(
      'A refusal is 400 `invalid_request`, and each message in `errors` begins with a rule of EN 16931 or Peppol, or with the business term that a document cannot keep:',
    ),
    table(
      ['Rule', 'What breaks it'],
      Object.entries(importRules).map(([rule, meaning]) => [codeSpan(rule), meaning]),
    ),
    text(
      'What cannot be read at all is refused without a rule: XML that is not well-formed, has a document type, or has elements in a namespace that its format does not give them, a PDF that is encrypted or carries no invoice, an amount, a date or a seller that is there twice, and whatever exceeds the bounds of size, depth and number.',
    ),
  ],
}

/** What the promise of valid exports rests on, and what it does not. */
export const validationSection: Section = {
  id: 'validation',
  title: 'How exports are checked',
  blocks: [
    text(
      'Exports are tested with the rules and programs of others, in versions that were current when this version was made. Some things nobody but us has checked:',
    ),
    list(
      'UBL invoices and credit notes: the schemas of UBL 2.1, EN 16931 1.3.16 and Peppol BIS Billing 3.0.21. Invoice responses: Peppol’s rules for them.',
      'CII, alone and inside of PDFs: the schema of Factur-X and EN 16931 1.3.16. `peppol_cii`: Peppol’s rules for CII as well, of 3.0.21, **compiled by ourselves**, since they are published as source only; in the Peppol network, a receiver of UBL is the rule and one of CII the exception.',
      'Orders and delivery notes: Peppol’s rules for orders and despatch advices. Quotes and goods receipts are UBL 2.1 by the schema, and no Peppol document.',
      'PDFs: `qpdf --check` and the programs of Poppler read them, and our own tests assert what PDF/A-3 asks for. **No independent validator of PDF/A has checked them.**',
      'An invoice that our arithmetic makes breaks no rule about amounts. Rules about the parties and categories it can break, and [the checks](#documents.checks) name them.',
    ),
  ],
}
