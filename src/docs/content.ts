/** The docs of one deployment, in the order in which they are read. */
import type { Config } from '../config.ts'
import { version } from '../contract/version.ts'
import type { Operation } from '../operations/operation.ts'
import { documentTypesSection } from './document-types.ts'
import { errorSections } from './errors.ts'
import { events } from './events.ts'
import { concepts, quickstart } from './guide.ts'
import { payments, sandbox } from './money.ts'
import { catchingUp, verification, webhooks } from './webhooks.ts'
import type { Docs } from './model.ts'
import { provenance } from './provenance.ts'
import { reference } from './reference.ts'
import {
  authentication,
  changes,
  idempotency,
  limitsSection,
  pagination,
  rateLimits,
  versioning,
} from './rules.ts'
import { vocabulary } from './vocabulary.ts'

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
