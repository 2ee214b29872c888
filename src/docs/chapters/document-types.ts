/** The document types and their state machines, from the tables that the service itself uses. */
import {
  type DocumentType,
  type DocumentTypeName,
  type TransitionGuard,
  type TransitionRule,
  type TransitionActor,
  documentTypeNames,
  documentTypes,
} from '../../contract/document-types.ts'
import { type Section, list, codeSpan, table, text } from '../blocks.ts'

const typeOf = (name: DocumentTypeName): DocumentType => documentTypes[name]

export const documentTypesSection = (): Section => ({
  id: 'document-types',
  title: 'Document types and states',
  blocks: [
    table(
      ['Type', 'The issuer sees', 'The counterparty sees', 'Issued as', 'Payer'],
      documentTypeNames.map((name) => {
        const { issuer, counterparty, issuedStatus, payer } = typeOf(name)
        return [
          `[${name}](#document-types-${name})`,
          `${issuer.label} ${codeSpan(`${issuer.prefix}-`)}`,
          `${counterparty.label} ${codeSpan(`${counterparty.prefix}-`)}`,
          codeSpan(issuedStatus),
          payer ?? 'nobody',
        ]
      }),
    ),
    text(
      'A state machine defines which side can move a document to which state. `allowed_transitions` of a document, and `details.allowed` of a refused transition, list the transitions that are open to you right now. The service makes its own transitions in response to something else, such as a payment; no caller can request them.',
    ),
    list(
      'The side that raised a dispute can withdraw it; the tables show what else ends a dispute.',
      'Transitions that pay require `payments:write` in addition to `documents:write`, and are hidden from a key without it.',
    ),
  ],
  sections: documentTypeNames.map(typeSection),
})

const typeSection = (name: DocumentTypeName): Section => {
  const { issuer, counterparty, issuedStatus, createdBy, hasDueDate, validDays, transitions } =
    typeOf(name)
  const facts = [
    createdBy === 'api'
      ? `Create it with \`POST /v1/documents\`; issuing it moves it to \`${issuedStatus}\`.`
      : `Created only by the finance family, as \`${issuedStatus}\`.`,
    ...(hasDueDate ? ['It has a due date.'] : []),
    ...(validDays === null
      ? []
      : [`It expires ${validDays} days after its date, or at \`valid_until\` if you send one.`]),
  ]
  return {
    id: `document-types-${name}`,
    title: name,
    blocks: [
      text(
        `${issuer.label} (\`${issuer.prefix}-\`) for its issuer, ${counterparty.label} (\`${counterparty.prefix}-\`) for the counterparty. ${facts.join(' ')}`,
      ),
      table(
        ['From', 'To', 'Made by', 'Condition'],
        transitions.map((rule) => [
          codeSpan(rule.from),
          codeSpan(rule.to),
          actors[rule.by],
          conditions(rule).join('; '),
        ]),
      ),
    ],
  }
}

const actors: Record<TransitionActor, string> = {
  issuer: 'issuer',
  counterparty: 'counterparty',
  raiser: 'the side that raised the dispute',
  system: 'the service',
}

const guards: Record<TransitionGuard, string> = {
  free_of_credits_and_pledges: 'no part of it is credited, and it is neither listed nor pledged',
  nothing_of_it_applied: 'no part of it is applied',
  payment_is_scheduled: 'its payment is scheduled',
  payment_is_scheduled_or_settled: 'its payment is scheduled or settled',
  no_issued_child: 'no document made from it has been issued',
  not_past_its_last_day: '`valid_until` has not passed, by the issuer’s clock',
}

const conditions = ({ isIssue, affectsPayment, guard, cause }: TransitionRule): string[] => [
  ...(isIssue ? ['by `POST /v1/documents/{id}/issue`'] : []),
  ...(affectsPayment ? ['pays: requires `payments:write`'] : []),
  ...(guard === undefined ? [] : [guards[guard]]),
  ...(cause === undefined ? [] : [`when: ${cause.replaceAll('_', ' ')}`]),
]
