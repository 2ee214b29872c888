/**
 * The example of each operation by its id; the others are shown without query, body or response.
 */
import { accountExamples } from './account.ts'
import { attachmentExamples } from './attachments.ts'
import { connectionExamples } from './connections.ts'
import { documentExamples, exampleDocuments } from './documents.ts'
import { financeExamples } from './finance.ts'
import type { Example } from './ids.ts'
import { paymentExamples } from './payments.ts'
import { sandboxExamples } from './sandbox.ts'
import { webhookExamples } from './webhooks.ts'

export const examples: Readonly<Record<string, Example>> = {
  ...documentExamples,
  ...attachmentExamples,
  ...connectionExamples,
  ...paymentExamples,
  ...webhookExamples(exampleDocuments.approvedBill),
  ...financeExamples,
  'log.consistency': { query: 'from=0&to=0' },
  ...accountExamples,
  ...sandboxExamples,
}
