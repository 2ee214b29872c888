/** The views and filters above the list. The address holds all of them. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useId, useState } from 'react'
import { currencies } from '../../../src/contract/currencies.ts'
import { statuses } from '../../../src/contract/document-phases.ts'
import { payers } from '../../../src/contract/payers.ts'
import { useParties } from '../api/parties.ts'
import { Icon } from '../design/icon.tsx'
import { Button } from '../design/button.tsx'
import { DayRange } from '../design/day-range.tsx'
import { wordsOf } from '../design/format.tsx'
import { type Options, Select } from '../design/select.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { useTypedText } from '../design/typed-text.ts'
import { FilterChips } from './filter-chips.tsx'
import type { DocumentFilters } from './filters.ts'
import { viewTexts } from './view-texts.ts'
import { isNarrowed } from './views.ts'

interface FilterBarProps {
  filters: DocumentFilters
  searchField: RefObject<HTMLInputElement | null>
}

const route = getRouteApi('/o/$org/documents')

export const FilterBar = ({ filters, searchField }: FilterBarProps) => {
  const navigate = useNavigate()
  const { org } = route.useParams()
  const { data: parties = [] } = useParties()
  const moreId = useId()
  const moreCount = moreNames.filter((name) => filters[name] !== undefined).length
  const [chosenOpen, setIsOpen] = useState<boolean>()
  // A chart may have set them: what narrows the list is seen.
  const isOpen = chosenOpen ?? moreCount > 0
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
                className={`-mb-px block border-b-2 px-2.5 py-2 ${(filters.view ?? 'all') === name ? 'border-accent font-medium text-ink' : 'border-transparent text-muted hover:text-ink print:hidden'}`}
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
          label="Kind"
          value={filters.type ?? ''}
          onChange={(type) => apply({ type })}
          options={Object.keys(payers).map((name) => [name, wordsOf(name)])}
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
        <Button
          icon="settings"
          kind={isOpen ? 'plain' : 'quiet'}
          aria-expanded={isOpen}
          aria-controls={moreId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {moreCount === 0 ? 'More filters' : `More filters (${moreCount})`}
        </Button>
      </div>
      <div
        id={moreId}
        hidden={!isOpen}
        className="flex flex-wrap items-center gap-x-4 gap-y-2 max-md:grid max-md:grid-cols-2"
      >
        <DayRange
          label="Dated"
          from={filters.since}
          until={filters.until}
          onFrom={(since) => apply({ since })}
          onUntil={(until) => apply({ until })}
        />
        <DayRange
          label="Due"
          from={filters.due_from}
          until={filters.due_to}
          onFrom={(due_from) => apply({ due_from })}
          onUntil={(due_to) => apply({ due_to })}
        />
        <Choice
          label="Currency"
          value={filters.currency ?? ''}
          onChange={(currency) => apply({ currency })}
          options={currencies.map((name) => [name, name])}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 empty:hidden">
        {hasChips(filters) && (
          <FilterChips
            filters={filters}
            parties={parties}
            onClear={(names, isLast) => {
              apply(Object.fromEntries(names.map((name) => [name, ''])))
              if (isLast) searchField.current?.focus()
            }}
          />
        )}
        <SavedViews
          list="documents"
          to="/o/$org/documents"
          filters={filters}
          isNarrowed={isNarrowed(filters)}
        />
      </div>
    </div>
  )
}

/** Those that fewer people need. */
const moreNames = ['since', 'until', 'due_from', 'due_to', 'currency'] as const

const shownViews = (current: string | undefined) =>
  Object.entries(viewTexts).filter(([name, { isHidden }]) => isHidden !== true || name === current)

/** The view and the text are seen where they are chosen. */
const hasChips = ({ view: _, query: __, ...chosen }: DocumentFilters): boolean =>
  Object.keys(chosen).length > 0

const withoutEmpty = (filters: DocumentFilters): DocumentFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))

const typingMs = 200

interface SearchFieldProps {
  value: string
  onChange: (text: string) => void
  field: RefObject<HTMLInputElement | null>
}

const SearchField = ({ value, onChange, field }: SearchFieldProps) => {
  const { text, setText, markSent } = useTypedText(value)
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => {
      markSent(text)
      onChange(text)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <div className="relative min-w-72 flex-1 max-md:min-w-0 max-md:col-span-2 print:has-placeholder-shown:hidden">
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
    className="md:max-w-44 print:hidden"
  />
)
