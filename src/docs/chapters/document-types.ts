/** The document types and their state machines, from the tables that the service itself reads. */
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
      ['Type', 'The issuer sees', 'The counterparty sees', 'Issued as', 'Who pays'],
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
      'A state machine says which side may move a document where. `allowed_transitions` of a document, and `details.allowed` of a refused move, list the rows that are open to you right now. Moves of the service follow from something else, such as a payment; nobody can ask for them.',
    ),
    list(
      'Whoever raised a dispute may take it back; what else ends it is in the tables.',
      'Moves that pay need `payments:write` besides `documents:write`, and are hidden from a key without it.',
    ),
  ],
  sections: documentTypeNames.map(typeSection),
})

const typeSection = (name: DocumentTypeName): Section => {
  const { issuer, counterparty, issuedStatus, createdBy, hasDueDate, validDays, transitions } =
    typeOf(name)
  const facts = [
    createdBy === 'api'
      ? `Created with \`POST /v1/documents\`; issuing it makes it \`${issuedStatus}\`.`
      : `Made by the finance family only, as \`${issuedStatus}\`.`,
    ...(hasDueDate ? ['Has a due date.'] : []),
    ...(validDays === null
      ? []
      : [`Lapses ${validDays} days after its date, or at \`valid_until\` when you send one.`]),
  ]
  return {
    id: `document-types-${name}`,
    title: name,
    blocks: [
      text(
        `${issuer.label} (\`${issuer.prefix}-\`) for its issuer, ${counterparty.label} (\`${counterparty.prefix}-\`) for the counterparty. ${facts.join(' ')}`,
      ),
      table(
        ['From', 'To', 'Who moves it', 'Condition'],
        transitions.map((move) => [
          codeSpan(move.from),
          codeSpan(move.to),
          movers[move.by],
          conditions(move).join('; '),
        ]),
      ),
    ],
  }
}

const movers: Record<TransitionActor, string> = {
  issuer: 'issuer',
  counterparty: 'counterparty',
  raiser: 'the side that raised the dispute',
  system: 'the service',
}

const guards: Record<TransitionGuard, string> = {
  free_of_credits_and_pledges: 'nothing of it is credited, and it is not listed or pledged',
  nothing_of_it_applied: 'nothing of it is applied',
  payment_is_scheduled: 'its payment is scheduled',
  payment_is_scheduled_or_settled: 'its payment is scheduled or settled',
  no_issued_child: 'no document made from it is issued',
  not_past_its_last_day: '`valid_until` is not over, by the issuer’s clock',
}

const conditions = ({ isIssue, affectsPayment, guard, cause }: TransitionRule): string[] => [
  ...(isIssue ? ['by `POST /v1/documents/{id}/issue`'] : []),
  ...(affectsPayment ? ['pays: needs `payments:write`'] : []),
  ...(guard === undefined ? [] : [guards[guard]]),
  ...(cause === undefined ? [] : [`when: ${cause.replaceAll('_', ' ')}`]),
]
