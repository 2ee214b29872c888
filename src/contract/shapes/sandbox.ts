/** Operations that only sandbox organizations have (domain 6). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { statuses } from '../document-phases.ts'
import { documentTypeNames } from '../document-types.ts'
import { limits } from '../limits.ts'
import { InputObject, OutputObject } from './objects.ts'
import { LineItems } from './line-items.ts'
import {
  NonBlankLine,
  Id,
  Money,
  Nullable,
  StringEnum,
  Text,
  Timestamp,
  Line,
  ReferenceMap,
} from './field-types.ts'

export const Clock = OutputObject(
  {
    now: Timestamp("The sandbox's own time."),
    offset_seconds: Type.Integer({ description: 'How far it is ahead of real time.' }),
    status: StringEnum(['ready'], 'All work due by this time is done.'),
  },
  'The clock shared by a sandbox organization and its counterparties.',
)

export type Clock = Static<typeof Clock>

export const ClockAdvance = InputObject(
  {
    advance_by: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'An ISO 8601 duration in whole units, such as P6D; months and years follow the calendar.',
        examples: ['P6D', 'PT90S', 'P1M'],
      }),
    ),
    advance_to: Type.Optional(
      Type.String({
        format: 'date-or-time',
        description: 'A later time; a date means the start of that day.',
        examples: ['2026-12-21'],
      }),
    ),
  },
  'Exactly one of the two. The clock only moves forward.',
)
export type ClockAdvance = Static<typeof ClockAdvance>

export const TopUp = InputObject(
  {
    currency: StringEnum(currencies, 'ISO 4217.'),
    amount: Money('How much test money.'),
    account_id: Type.Optional(
      Id('acct', "One of the organization's accounts; defaults to the settlement account."),
    ),
  },
  'Test money for an account.',
)
export type TopUp = Static<typeof TopUp>

export const Simulation = InputObject(
  {
    outcome: StringEnum(['settle', 'fail', 'return'], 'The outcome, which takes effect at once.'),
    reason: Type.Optional(
      StringEnum(
        [
          'insufficient_funds',
          'account_closed',
          'account_not_found',
          'account_frozen',
          'processor_declined',
          'processor_unavailable',
          'timeout',
          'returned_insufficient_funds',
          'returned_account_closed',
          'returned_no_account',
          'returned_unauthorized',
        ],
        'Why it fails, or why the bank returns it.',
      ),
    ),
  },
  'A payment outcome that the rail would otherwise decide.',
)
export type Simulation = Static<typeof Simulation>

export const DemoDocument = InputObject(
  {
    document_type: StringEnum(documentTypeNames, 'The type that the counterparty issues to you.'),
    scenario: Type.Optional(
      NonBlankLine(limits.openMapValueMaxLength, 'Stored in `external_refs.sandbox_scenario`.'),
    ),
    line_items: Type.Optional(LineItems),
    currency: Type.Optional(StringEnum(currencies, 'ISO 4217.')),
    payment_terms: Type.Optional(Nullable(Line(limits.paymentTermsMaxLength, 'Like `Net 30`.'))),
    notes: Type.Optional(Nullable(Text(limits.notesMaxLength, 'Free text.'))),
    external_refs: Type.Optional(ReferenceMap("The counterparty's references.")),
  },
  'A document that the simulated counterparty issues to you.',
)
export type DemoDocument = Static<typeof DemoDocument>

export const DemoTransition = InputObject(
  {
    document_id: Id('doc', 'A document that you share with the simulated counterparty.'),
    to: StringEnum(statuses, 'The target status.'),
  },
  'A transition that the simulated counterparty makes.',
)
export type DemoTransition = Static<typeof DemoTransition>
