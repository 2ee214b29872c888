/** The docs of one deployment: all pages, in reading order. */
import type { Config } from '../config.ts'
import { version } from '../contract/version.ts'
import type { Operation } from '../operations/operation.ts'
import { approvals } from './chapters/approvals.ts'
import { documentTypesSection } from './chapters/document-types.ts'
import { exportsSection } from './chapters/exports.ts'
import { importsSection } from './chapters/imports.ts'
import { errorAnchors, errorSections } from './chapters/errors.ts'
import { events } from './chapters/events.ts'
import { concepts } from './chapters/concepts.ts'
import { guides } from './chapters/guides.ts'
import { journeys } from './chapters/journeys.ts'
import { libraries } from './chapters/libraries.ts'
import { loans } from './chapters/loans.ts'
import { payments } from './chapters/payments.ts'
import { sandbox } from './chapters/sandbox.ts'
import { catchingUp, verification, webhooks } from './chapters/webhooks.ts'
import { setup } from './chapters/setup.ts'
import { welcome } from './chapters/welcome.ts'
import type { Docs } from './blocks.ts'
import { provenance } from './chapters/provenance.ts'
import { receipts } from './chapters/receipts.ts'
import { referencePages } from './chapters/reference.ts'
import { authentication } from './chapters/authentication.ts'
import { idempotency } from './chapters/idempotency.ts'
import { mcp } from './chapters/mcp.ts'
import { pagination } from './chapters/pagination.ts'
import { limitsSection, rateLimits } from './chapters/limits.ts'
import { changes, versioning } from './chapters/versioning.ts'
import { codeLists } from './chapters/code-lists.ts'

export const docsOf = (operations: readonly Operation[], config: Config): Docs => {
  const [quickstart, ...otherGuides] = guides(operations, config)
  return {
    title: 'Document Exchange Service',
    summary:
      'Organizations exchange invoices, orders, quotes and other business documents over connections. A document is one shared record, and each side reads its own projection of it.',
    baseUrl: config.baseUrl,
    version,
    front: [welcome, setup(config)],
    anchors: [errorAnchors],
    groups: [
      { title: 'Get started', pages: [quickstart!, concepts, authentication(config)] },
      { title: 'Guides', pages: [...otherGuides, journeys(config)] },
      {
        title: 'Documents and money',
        pages: [
          documentTypesSection(),
          payments,
          approvals(config),
          loans,
          sandbox(config),
          exportsSection(config),
          importsSection,
          codeLists,
        ],
      },
      {
        title: 'Build an integration',
        pages: [
          libraries,
          idempotency(config),
          pagination(config),
          errorSections(config.baseUrl),
          limitsSection(config),
          rateLimits(config),
          mcp(config),
        ],
      },
      {
        title: 'Events and webhooks',
        pages: [webhooks(config), verification, catchingUp(config), events],
      },
      { title: 'Proofs', pages: [provenance(config), receipts(config)] },
      { title: 'API reference', pages: referencePages(operations, config.baseUrl) },
      { title: 'Versions', pages: [versioning, changes] },
    ],
  }
}
