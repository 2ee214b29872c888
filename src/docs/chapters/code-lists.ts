/** The words that bodies are made of: payment terms, and the code lists with what they mean. */
import type { Relation } from '../../contract/conversions.ts'
import type { reasonCodes } from '../../contract/shapes/documents.ts'
import type { taxCategories } from '../../contract/shapes/line-items.ts'
import { deriveTerms, termsBounds } from '../../core/documents/payment-terms.ts'
import { type Section, list, codeSpan, table, text } from '../blocks.ts'

const reasons: Record<(typeof reasonCodes)[number], string> = {
  REF: 'a reference is wrong or missing',
  LEG: 'legal information is wrong or missing',
  REC: 'the receiver is wrong or unknown',
  QUA: 'the quality of the goods or services',
  DEL: 'the delivery: late, incomplete, to the wrong place',
  PRI: 'a price is wrong',
  QTY: 'a quantity is wrong',
  ITM: 'an item is wrong, or was not ordered',
  PAY: 'the payment terms are wrong',
  UNR: 'the document is not recognised: no such order or delivery',
  FIN: 'financial details are wrong',
  PPD: 'it is paid in part already',
  OTH: 'another reason: say it in `note`',
}

const categories: Record<(typeof taxCategories)[number], string> = {
  S: 'taxed at the rate of the line',
  Z: 'taxed at a rate of zero',
  E: 'exempt from tax',
  AE: 'reverse charge: the buyer accounts for the tax',
  K: 'supply to another member state of the European Union',
  G: 'export outside of the European Union',
  O: 'not subject to tax',
}

const references: Record<Relation, string> = {
  credits: 'a credit note → the invoice that it credits',
  fulfils: 'a delivery note or goods receipt → the order that it fulfils',
  converts: 'a document → the quote, contract or order that it was made from',
  bills: 'an invoice → the order or delivery that it bills',
  supersedes: 'a document → the one that it replaces',
  relates_to: 'anything else worth knowing; nothing follows from it',
}

const documentDate = '2026-01-31'

/** Worked out by the code that works them out for callers. */
const dueRow = (forms: string, example: string, meaning: string): string[] => {
  const terms = deriveTerms({ payment_terms: example, document_date: documentDate })
  if (!terms.ok) throw new Error('the example is one that the service takes')
  return [forms, meaning, codeSpan(example), codeSpan(String(terms.due_date))]
}

export const vocabulary: Section = {
  id: 'vocabulary',
  title: 'Terms and codes',
  blocks: [],
  sections: [
    {
      id: 'payment-terms',
      title: 'Payment terms',
      blocks: [
        text(
          `\`payment_terms\` is one text of at most ${termsBounds.textCharacters} characters. It is kept as you write it; upper and lower case, blanks and \`_\` make no difference to how it is read. In the examples the document date is ${documentDate}.`,
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
              'at once',
            ),
            dueRow('`EOM`', 'EOM', 'at the end of the month'),
            dueRow('`Net N EOM`, `N days EOM`', 'Net 30 EOM', 'N days after the end of the month'),
            dueRow(
              '`P/D net N`, `P%D, net N`',
              '2/10 net 30',
              'N days later; P % less within D days, for information in `early_payment`',
            ),
            dueRow('a date, `Due` and a date', 'Due 2026-02-15', 'on that date'),
            dueRow(
              '**any other words**',
              'Payable on delivery',
              'kept as they are, **no due date**',
            ),
          ],
        ),
        list(
          'Send `payment_terms`, or `due_date`, or both when they agree. From a `due_date` alone the terms are derived: `Net` and the days.',
          'Send neither, and the `default_payment_terms` of the connection are taken; without those there are none, and no due date.',
          'A date before the document date, one that does not exist, or too many days are refused.',
          'When a draft is issued on another day and has no `document_date` of its own, terms that count days move their due date; terms that name a date keep it, and are refused with `terms_date_past` once it has gone by.',
        ),
      ],
    },
    {
      id: 'reason-codes',
      title: 'Reason codes',
      blocks: [
        text(
          '`reason_code` of a transition, for a dispute or a rejection above all: the code list of the Peppol invoice response.',
        ),
        codeTable('Code', reasons),
      ],
    },
    {
      id: 'tax-categories',
      title: 'Tax categories',
      blocks: [
        text(
          '`tax_category` of a line, for exports: the codes of EN 16931. Left out it means `S`, or `Z` at a rate of 0; amounts do not depend on it.',
        ),
        codeTable('Code', categories),
      ],
    },
    {
      id: 'relations',
      title: 'References',
      blocks: [
        text(
          '`references` point to documents on the same connection that you see; `rel` says how this one relates to the other. They are shown to both sides and are part of the record. Issuing a credit note credits its invoice, an invoice counts towards its order, and what was made from a quote uses it up; everything else only points.',
        ),
        codeTable('`rel`', references),
      ],
    },
  ],
}

function codeTable(head: string, meanings: Readonly<Record<string, string>>) {
  return table(
    [head, 'Meaning'],
    Object.entries(meanings).map(([code, meaning]) => [codeSpan(code), meaning]),
  )
}
