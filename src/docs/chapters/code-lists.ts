/** The values that a body may hold: payment terms, and the code lists with their meanings. */
import type { Relation } from '../../contract/conversions.ts'
import { reasonCodes, taxCategories } from '../../contract/code-lists.ts'
import {
  type TermsForm,
  type TermsLanguage,
  termsForms,
  termsLanguages,
} from '../../contract/terms-forms.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { termsBounds } from '../../core/documents/terms-problems.ts'
import { writtenTerms } from '../../core/documents/terms-forms.ts'
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

const exampleValues = { days: '30', early: '10', percent: '2', date: '2026-02-15' }
const letters = { days: 'N', early: 'D', percent: 'P', date: 'YYYY-MM-DD' }

/** The due date of the example comes from the code that derives it for callers. */
const formRow = (form: TermsForm, language: TermsLanguage): string[] => {
  const [first, ...others] = form.phrases[language]
  const example = writtenTerms(first!, language, exampleValues)
  const terms = deriveTerms({ payment_terms: example, document_date: documentDate })
  if (!terms.ok) throw new Error('the example terms are valid')
  const phrases = [first!, ...others].map((phrase) => writtenTerms(phrase, language, letters))
  return [form.due, phrases.map(codeSpan).join(', '), codeSpan(example), codeSpan(terms.due_date!)]
}

const formsSection = (language: TermsLanguage): Section => ({
  id: `payment-terms-${language}`,
  title: `Payment terms in ${termsLanguages[language]}`,
  blocks: [
    table(
      ['Due', 'Written as', 'Example', '`due_date`'],
      termsForms.map((form) => formRow(form, language)),
    ),
  ],
})

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
          `\`payment_terms\` is a text of at most ${termsBounds.textCharacters} characters, stored as you send it. The tables below list the forms from which the service derives the due date; case, accents, spaces, \`_\`, and hyphens between words make no difference. N is at most ${termsBounds.netDaysMax}, and so is the number of days from the document date to any due date. Any other text, such as \`Payable on delivery\`, is stored **without a due date**, and a document without one never becomes overdue. In the examples, the document date is ${documentDate}.`,
        ),
        list(
          'Send `payment_terms`, `due_date`, or both if they agree. If you send only a `due_date`, the terms are derived from it: `Net` and the number of days.',
          'If you send neither, the `default_payment_terms` of the connection apply. If it has none, the document has no terms and no due date.',
          'A date before the document date, a date that does not exist and too many days are refused.',
          'If the discount period is longer than the net period, as in `2/40 net 30`, the text is stored like any other text, without a due date.',
          'A [dry run](#idempotency) says in `warnings` when no due date is derived from a text.',
          'When a draft without a `document_date` of its own is issued on another day, terms that count days move the due date. Terms that name a date keep it, and are refused with `terms_date_past` once it has passed.',
        ),
      ],
    },
    ...(Object.keys(termsLanguages) as TermsLanguage[]).map(formsSection),
    {
      id: 'reason-codes',
      title: 'Reason codes',
      blocks: [
        text(
          'The `reason_code` of a transition explains a decision, above all a dispute or a rejection. The codes are those of the Peppol [invoice response](#invoice-responses).',
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
