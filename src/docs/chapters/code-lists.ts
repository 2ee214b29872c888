/** The values that a body may hold: payment terms, and the code lists with their meanings. */
import type { Relation } from '../../contract/conversions.ts'
import { reasonCodes, taxCategories } from '../../contract/code-lists.ts'
import { deriveTerms, termsBounds } from '../../core/documents/payment-terms.ts'
import { type Section, list, codeSpan, table, text } from '../blocks.ts'

const references: Record<Relation, string> = {
  credits: 'From a credit note to the invoice that it credits.',
  fulfils: 'From a delivery note or goods receipt to the order that it fulfils.',
  converts: 'From a document to the quote, contract or order that it was made from.',
  bills: 'From an invoice to the order or delivery that it bills.',
  supersedes: 'From a document to the one that it replaces.',
  relates_to: 'Any other relation; it has no effect.',
}

const documentDate = '2026-01-31'

/** The due date of the example comes from the code that derives it for callers. */
const dueRow = (forms: string, example: string, meaning: string): string[] => {
  const terms = deriveTerms({ payment_terms: example, document_date: documentDate })
  if (!terms.ok) throw new Error('the example terms are valid')
  return [forms, meaning, codeSpan(example), codeSpan(String(terms.due_date))]
}

export const codeLists: Section = {
  id: 'vocabulary',
  title: 'Terms and codes',
  blocks: [],
  sections: [
    {
      id: 'payment-terms',
      title: 'Payment terms',
      blocks: [
        text(
          `\`payment_terms\` is a text of at most ${termsBounds.textCharacters} characters. It is stored as you send it; upper and lower case, spaces and \`_\` make no difference to its meaning. In the examples, the document date is ${documentDate}.`,
        ),
        table(
          ['Form', 'Due', 'Example', '`due_date`'],
          [
            dueRow(
              '`Net N`, `N days`',
              'Net 30',
              `N days later, at most ${termsBounds.netDaysMax}`,
            ),
            dueRow(
              '`Due on receipt`, `Upon receipt`, `Immediate`, `COD`',
              'Due on receipt',
              'immediately',
            ),
            dueRow('`EOM`', 'EOM', 'at the end of the month'),
            dueRow('`Net N EOM`, `N days EOM`', 'Net 30 EOM', 'N days after the end of the month'),
            dueRow(
              '`P/D net N`, `P%D, net N`',
              '2/10 net 30',
              'N days later; P % less within D days, shown in `early_payment` for information',
            ),
            dueRow('a date, `Due` and a date', 'Due 2026-02-15', 'on that date'),
            dueRow(
              '**any other words**',
              'Payable on delivery',
              'stored as they are, **no due date**',
            ),
          ],
        ),
        list(
          'Send `payment_terms`, `due_date`, or both if they agree. If you send only a `due_date`, the terms are derived from it: `Net` and the number of days.',
          'If you send neither, the `default_payment_terms` of the connection apply. If it has none, the document has no terms and no due date.',
          'A date before the document date, a date that does not exist and too many days are refused.',
          'When a draft without a `document_date` of its own is issued on another day, terms that count days move the due date. Terms that name a date keep it, and are refused with `terms_date_past` once it has passed.',
        ),
      ],
    },
    {
      id: 'reason-codes',
      title: 'Reason codes',
      blocks: [
        text(
          'The `reason_code` of a transition explains a decision, above all a dispute or a rejection. The codes are those of the Peppol invoice response.',
        ),
        codeTable('Code', reasonCodes),
      ],
    },
    {
      id: 'tax-categories',
      title: 'Tax categories',
      blocks: [
        text(
          'The `tax_category` of a line is meant for exports and takes the codes of EN 16931. It defaults to `S`, or to `Z` at a rate of 0. Amounts do not depend on it.',
        ),
        codeTable('Code', taxCategories),
      ],
    },
    {
      id: 'relations',
      title: 'References',
      blocks: [
        text(
          '`references` point to documents on the same connection that you can see; `rel` states how this document relates to the other. References are visible to both sides and part of the record. Issuing a credit note credits its invoice, an invoice counts towards its order, and a document made from a quote uses up the quote; all other references have no effect.',
        ),
        codeTable('`rel`', references),
      ],
    },
  ],
}

function codeTable(codeColumn: string, meanings: Readonly<Record<string, string>>) {
  return table(
    [codeColumn, 'Meaning'],
    Object.entries(meanings).map(([code, meaning]) => [codeSpan(code), meaning]),
  )
}
