/** The docs of one deployment, in the order in which they are read. */
import type { Config } from '../config.ts'
import { version } from '../contract/version.ts'
import type { Operation } from '../operations/operation.ts'
import { documentTypesSection } from './chapters/document-types.ts'
import { errorSections } from './chapters/errors.ts'
import { events } from './chapters/events.ts'
import { concepts, quickstart } from './chapters/quickstart.ts'
import { payments, sandbox } from './chapters/payments.ts'
import { catchingUp, verification, webhooks } from './chapters/webhooks.ts'
import type { Docs } from './blocks.ts'
import { provenance } from './chapters/provenance.ts'
import { reference } from './chapters/reference.ts'
import {
  authentication,
  changes,
  idempotency,
  limitsSection,
  pagination,
  rateLimits,
  versioning,
} from './chapters/api-conventions.ts'
import { vocabulary } from './chapters/code-lists.ts'

export const docsOf = (operations: readonly Operation[], config: Config): Docs => ({
  title: 'Document Exchange Service',
  summary:
    'Organizations exchange invoices, orders, quotes and other business documents over connections between them. A document is one shared record: each side reads its own projection of it.',
  baseUrl: config.baseUrl,
  version,
  sections: [
    quickstart(config),
    concepts,
    authentication(config),
    idempotency(config),
    pagination(config),
    payments,
    sandbox(config),
    webhooks(config),
    verification,
    catchingUp(config),
    provenance(config),
    errorSections(config.baseUrl),
    documentTypesSection(),
    vocabulary,
    events,
    reference(operations, config.baseUrl),
    limitsSection(config),
    rateLimits(config),
    versioning,
    changes,
  ],
})
