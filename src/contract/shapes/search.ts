/** Search over everything that a caller may read (contract 12). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Nullable, StringEnum } from './field-types.ts'
import { CommaList, InputObject, OutputObject, PageOf } from './objects.ts'

export const searchedTypes = [
  'document',
  'connection',
  'payment',
  'key',
  'webhook',
  'request',
] as const

export type SearchedType = (typeof searchedTypes)[number]

export const SearchHit = OutputObject(
  {
    object: StringEnum(searchedTypes, 'What was found.'),
    id: Type.String({ description: 'Its id.' }),
    title: Type.String({ description: 'Its name for a person.' }),
    subtitle: Nullable(Type.String({ description: 'What distinguishes it from others.' })),
    match: OutputObject(
      {
        field: Type.String({ description: 'The field that matches best.' }),
        value: Type.String({ description: 'Its value, shortened.' }),
      },
      'Why it was found.',
    ),
  },
  'One record that was found.',
)
export type SearchHit = Static<typeof SearchHit>

export const SearchResults = PageOf(SearchHit, 'The best results first; there is one page.')

export const SearchQuery = InputObject(
  {
    q: Type.String({
      minLength: 1,
      maxLength: limits.searchQueryMaxLength,
      description:
        'A number, reference, amount, name, id, or words of a document; operators, such as is:overdue or total:>1000, restrict it.',
      examples: ['inv 42'],
    }),
    type: Type.Optional(
      CommaList(StringEnum(searchedTypes, 'A kind of record.'), 'Kinds of records.'),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: limits.pageMin,
        maximum: limits.searchResultsMax,
        default: limits.searchResultsDefault,
        description: 'Maximum number of results.',
      }),
    ),
  },
  'What to search for.',
)
