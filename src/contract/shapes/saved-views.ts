/** Filters that a person has named (contract 12). */
import { type Static, Type } from 'typebox'
import { identityLimits } from '../identity-limits.ts'
import { Id, Line, NonBlankLine, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

const { savedViewNameMaxLength, savedViewQueryMaxLength } = identityLimits

const viewedLists = ['documents', 'payments', 'transactions', 'requests', 'events'] as const

const name = NonBlankLine(savedViewNameMaxLength, 'What the person calls it.')
const list = StringEnum(viewedLists, 'The list that it shows.')
const query = Line(savedViewQueryMaxLength, 'Its filters, as the query of an address.')

export const SavedView = OutputObject(
  {
    id: Id('viw', 'The view.'),
    name: Type.String(),
    list,
    query: Type.String({ examples: ['status=approved'] }),
    created_at: Timestamp('When it was saved first.'),
    updated_at: Timestamp('When it last changed.'),
  },
  'Filters of a list that the signed-in person has named, for one organization.',
)
export type SavedView = Static<typeof SavedView>

export const SavedViewPage = PageOf(SavedView, 'Views, the newest first.')

export const SavedViewFilters = InputObject(pageParameters, 'The page of views.')

export const SavedViewCreate = InputObject({ name, list, query }, 'A new view.')
export type SavedViewCreate = Static<typeof SavedViewCreate>

export const SavedViewUpdate = InputObject(
  { name: Type.Optional(name), query: Type.Optional(query) },
  'What changes of a view.',
)
export type SavedViewUpdate = Static<typeof SavedViewUpdate>
