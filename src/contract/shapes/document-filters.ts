/** What selects documents of the list (specification 4.1, contract 4). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { phases, statuses } from '../document-phases.ts'
import { documentTypeNames, owedGroups } from '../document-types.ts'
import { limits } from '../limits.ts'
import { DateOnly, DateOrTimestamp, Id, StringEnum, Text } from './field-types.ts'
import { CommaList, InputObject, sweepParameters } from './objects.ts'

const documentFilters = {
  id: Type.Optional(CommaList(Id('doc', 'A document.'), 'Only these documents.')),
  type: Type.Optional(
    CommaList(StringEnum(documentTypeNames, 'A document type.'), 'Document types.'),
  ),
  connection: Type.Optional(CommaList(Id('con', 'A connection.'), 'Connections.')),
  status: Type.Optional(CommaList(StringEnum(statuses, 'A status.'), 'Statuses.')),
  phase: Type.Optional(
    CommaList(StringEnum(Object.keys(phases), 'A phase.'), 'Phases, across types.'),
  ),
  direction: Type.Optional(StringEnum(['issued', 'received'], "The caller's side.")),
  since: Type.Optional(DateOrTimestamp('Earliest document date, inclusive.')),
  until: Type.Optional(DateOrTimestamp('Latest document date, inclusive.')),
  updated_since: Type.Optional(DateOrTimestamp('Changed at or after this time.')),
  currency: Type.Optional(CommaList(StringEnum(currencies, 'A currency.'), 'Currencies.')),
  due_from: Type.Optional(
    DateOnly('Earliest due date, inclusive; a document without one is due last.'),
  ),
  due_to: Type.Optional(DateOnly('Latest due date, inclusive.')),
  owed: Type.Optional(
    StringEnum(
      owedGroups,
      'Unsettled, and paid to the caller or by it, as in the `ageing` of statistics.',
    ),
  ),
  query: Type.Optional(
    Text(
      limits.searchQueryMaxLength,
      'Words to find in numbers, references, counterparty name, line descriptions, SKUs and notes, or the total. Each matches the beginning of a word; a reference with digits, such as SKU-9, is one word; an amount, such as EUR 1,234.50, matches to the cent. Operators, such as total:>1000, restrict it.',
      1,
    ),
  ),
}

export const DocumentFilters = InputObject(
  { ...sweepParameters, ...documentFilters },
  'Filters of the document list.',
)
export type DocumentFilters = Static<typeof DocumentFilters>

export const DocumentFileFilters = InputObject(documentFilters, 'Filters of the document list.')

export const DocumentFile = Type.String({
  description: 'A header and one row for each document (RFC 4180, UTF-8).',
})
