/** Transitions of documents (contract 4). */
import { type Static, Type } from 'typebox'
import { reasonCodes } from '../code-lists.ts'
import { statuses } from '../document-types.ts'
import { limits } from '../limits.ts'
import { scopeNames } from '../scopes.ts'
import { DateOnly, StringEnum, Text } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'
import { PaymentMethod, SourceAccount } from './payments.ts'

export const TransitionRequest = InputObject(
  {
    to: StringEnum(statuses, 'The target status.'),
    payment_method: Type.Optional(PaymentMethod),
    source_account_id: Type.Optional(SourceAccount),
    scheduled_for: Type.Optional(DateOnly('Payment targets only: when to pay.')),
    reason_code: Type.Optional(
      StringEnum(
        Object.keys(reasonCodes),
        'The reason, from the code list of the Peppol invoice response.',
      ),
    ),
    note: Type.Optional(Text(limits.transitionNoteMaxLength, 'The reason, in words.')),
  },
  'A transition to another status.',
)
export type TransitionRequest = Static<typeof TransitionRequest>

export const Transitions = OutputObject(
  {
    status: StringEnum(statuses, 'The current status.'),
    allowed: Type.Array(
      OutputObject(
        {
          to: StringEnum(statuses, 'A legal target status.'),
          scopes: Type.Array(StringEnum(scopeNames, 'A scope.'), {
            description: 'The scopes that a key needs for it.',
          }),
        },
        'A transition that the caller may make.',
      ),
    ),
    waiting_on: StringEnum(['issuer', 'counterparty', 'none'], 'The side that has to act next.'),
  },
  'The transitions that the caller may make now.',
)
