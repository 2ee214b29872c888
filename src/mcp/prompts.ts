/** Texts that a person chooses in a client, to have a model do a common task with the tools. */
import { owedPhases } from '../contract/document-phases.ts'

export interface Prompt {
  name: string
  description: string
  arguments: readonly { name: string; description: string; required: boolean }[]
  text(values: Readonly<Record<string, string>>): string
}

/** Values of the caller are quoted, so that they read as data. */
const quoted = (value: string | undefined): string => JSON.stringify(value ?? '')

/** Each is offered where all tools that its text names are. */
export const prompts: readonly Prompt[] = [
  {
    name: 'send_invoice',
    description: 'Create an invoice, check it and send it.',
    arguments: [
      { name: 'counterparty', description: 'The name of the customer.', required: true },
      {
        name: 'lines',
        description: 'What is invoiced, with quantities and prices.',
        required: true,
      },
    ],
    text: ({ counterparty, lines }) =>
      `Send an invoice to ${quoted(counterparty)} for ${quoted(lines)}. Find the connection with ` +
      'connections_list. Create the draft with documents_create, first with dry_run, and show me ' +
      'lines, tax and total. After I agree, issue it with documents_issue and tell me its number.',
  },
  {
    name: 'reconcile_payments',
    description: 'Compare payments with documents and list what does not fit.',
    arguments: [{ name: 'since', description: 'A date, such as 2026-11-01.', required: true }],
    text: ({ since }) =>
      `Reconcile the payments since ${quoted(since)}: read all pages of payments_list and, with ` +
      'documents_get, the documents they belong to. List payments that failed or returned, documents whose ' +
      'balance_due is not what the payments leave, and totals per currency. Change nothing.',
  },
  {
    name: 'find_overdue',
    description: 'List what is overdue, by counterparty.',
    arguments: [],
    text: () =>
      `Find what is overdue: read all pages of documents_list with phase ${owedPhases.join(',')} and ` +
      'fields id,number,document_type,direction,counterparty.name,issuer.name,due_date,overdue,' +
      'balance_due,currency. Group what is overdue by the other side, with totals per currency, ' +
      'separately for what others owe us and what we owe. Change nothing.',
  },
  {
    name: 'verify_document',
    description: 'Verify the history of a document and export its proof.',
    arguments: [{ name: 'document', description: 'The id, doc_….', required: true }],
    text: ({ document }) =>
      `Verify the document ${quoted(document)}: read documents_history and documents_lineage and ` +
      'tell me who did what and when. Then say how to verify it without this service: ' +
      'documents_export, log_keys, and the verifier that docex://FORMAT.md describes.',
  },
]
