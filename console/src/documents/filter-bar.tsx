/** The views and filters above the list. The address holds all of them. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useState } from 'react'
import { documentTypes, statuses } from '../../../src/contract/document-types.ts'
import { useParties } from '../api/parties.ts'
import { Icon } from '../design/icon.tsx'
import { FilterChips, rangeText } from '../design/filter-chips.tsx'
import { wordsOf } from '../design/format.tsx'
import { type Options, Select } from '../design/select.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import type { DocumentFilters } from './filters.ts'
import { isNarrowed, views } from './views.ts'

interface FilterBarProps {
  filters: DocumentFilters
  searchField: RefObject<HTMLInputElement | null>
}

const route = getRouteApi('/o/$org/documents')

export const FilterBar = ({ filters, searchField }: FilterBarProps) => {
  const navigate = useNavigate()
  const { org } = route.useParams()
  const { data: parties = [] } = useParties()
  const apply = (changed: DocumentFilters) =>
    void navigate({
      to: '/o/$org/documents',
      params: { org },
      search: withoutEmpty({ ...filters, ...changed }),
      replace: true,
    })
  return (
    <div className="mb-4 grid gap-3">
      <div className="-mx-4 overflow-x-auto px-4 md:mx-0 md:px-0">
        <ul aria-label="Views" className="flex min-w-max gap-1 border-b border-line">
          {shownViews(filters.view).map(([name, { title }]) => (
            <li key={name}>
              <Link
                to="/o/$org/documents"
                params={{ org }}
                search={withoutEmpty({ ...filters, view: name === 'all' ? '' : name })}
                aria-current={(filters.view ?? 'all') === name ? 'page' : undefined}
                className={`-mb-px block border-b-2 px-2.5 py-2 ${(filters.view ?? 'all') === name ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink'}`}
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <div className="flex flex-wrap items-center gap-2 max-md:grid max-md:grid-cols-2">
        <SearchField
          value={filters.query ?? ''}
          onChange={(query) => apply({ query })}
          field={searchField}
        />
        <Choice
          label="Type"
          value={filters.type ?? ''}
          onChange={(type) => apply({ type })}
          options={Object.keys(documentTypes).map((name) => [name, wordsOf(name)])}
        />
        <Choice
          label="Party"
          value={filters.connection ?? ''}
          onChange={(connection) => apply({ connection })}
          options={parties.map(({ id, name }) => [id, name])}
        />
        <Choice
          label="State"
          value={filters.status ?? ''}
          onChange={(status) => apply({ status })}
          options={statuses.map((name) => [name, wordsOf(name)])}
        />
        <DateChoice
          label="From"
          value={filters.since ?? ''}
          onChange={(since) => apply({ since })}
        />
        <DateChoice
          label="Until"
          value={filters.until ?? ''}
          onChange={(until) => apply({ until })}
        />
      </div>
      <FilterChips
        chips={[
          { text: filters.currency, clear: () => apply({ currency: '' }) },
          {
            text: rangeText('Due', filters.due_from, filters.due_to),
            clear: () => apply({ due_from: '', due_to: '' }),
          },
        ]}
      />
      <SavedViews
        list="documents"
        to="/o/$org/documents"
        filters={filters}
        isNarrowed={isNarrowed(filters)}
      />
    </div>
  )
}

const shownViews = (current: string | undefined) =>
  Object.entries(views).filter(([name, { isHidden }]) => isHidden !== true || name === current)

const withoutEmpty = (filters: DocumentFilters): DocumentFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))

const typingMs = 200

interface SearchFieldProps {
  value: string
  onChange: (text: string) => void
  field: RefObject<HTMLInputElement | null>
}

const SearchField = ({ value, onChange, field }: SearchFieldProps) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), typingMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <div className="relative min-w-48 flex-1 max-md:col-span-2">
      <Icon name="search" className="absolute top-2 left-2.5 text-faint max-md:top-3" />
      <input
        ref={field}
        type="search"
        aria-label="Find documents"
        placeholder="Number, reference, party or amount"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-edge bg-raised pr-2 pl-8 max-md:h-10 max-md:text-lg"
      />
    </div>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
}

const Choice = ({ label, value, onChange, options }: ChoiceProps & { options: Options }) => (
  <Select
    aria-label={label}
    value={value}
    data-chosen={value === '' ? undefined : true}
    options={[['', label], ...options]}
    onChange={(event) => onChange(event.target.value)}
    className="md:max-w-44"
  />
)

const DateChoice = ({ label, value, onChange }: ChoiceProps) => (
  <label className="flex items-center gap-1.5 text-sm text-muted max-md:flex-1">
    {label}
    <input
      type="date"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      data-chosen={value === '' ? undefined : true}
      className="h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2.5 text-base data-chosen:border-accent data-chosen:bg-accent-tint data-chosen:text-accent max-md:h-10"
    />
  </label>
)
