/**
 * The example of each operation by its id; the others are shown without query, body or response.
 */
import { version } from '../../contract/version.ts'
import { accountExamples } from './account.ts'
import { approvalExamples } from './approvals.ts'
import { attachmentExamples } from './attachments.ts'
import { connectionExamples } from './connections.ts'
import { documentExamples, exampleDocuments } from './documents.ts'
import { financeExamples } from './finance.ts'
import type { Example } from './ids.ts'
import { invitationExamples } from './invitations.ts'
import { memberExamples } from './members.ts'
import { organizationExamples } from './organization.ts'
import { paymentExamples } from './payments.ts'
import { provenanceExamples } from './provenance.ts'
import { statisticsExamples } from './statistics.ts'
import { searchExamples } from './search.ts'
import { sandboxExamples } from './sandbox.ts'
import { sessionExamples } from './sessions.ts'
import { webhookExamples } from './webhooks.ts'

/** The beginning of an OpenAPI document. */
const specification = {
  response: {
    openapi: '3.1.1',
    info: { title: 'Document Exchange Service', version },
    paths: {},
    components: {},
  },
}

const specificationExamples: Readonly<Record<string, Example>> = {
  'specification.get': specification,
  'auth_specification.get': specification,
}

export const examples: Readonly<Record<string, Example>> = {
  ...documentExamples,
  ...searchExamples,
  ...statisticsExamples,
  ...attachmentExamples,
  ...connectionExamples,
  ...paymentExamples,
  ...approvalExamples,
  ...webhookExamples(exampleDocuments.approvedBill),
  ...provenanceExamples,
  ...financeExamples,
  ...organizationExamples,
  ...memberExamples,
  ...invitationExamples,
  ...accountExamples,
  ...sandboxExamples,
  ...sessionExamples,
  ...specificationExamples,
}
