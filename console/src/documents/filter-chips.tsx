/** What narrows the list, each with a button that takes it away. */
import { useRef } from 'react'
import type { Party } from '../api/parties.ts'
import { dateText } from '../design/dates.ts'
import { wordsOf } from '../design/format.tsx'
import { Icon } from '../design/icon.tsx'
import type { DocumentFilters } from './filters.ts'

type ChipName = Exclude<keyof DocumentFilters, 'view' | 'query'>

interface FilterChipsProps {
  filters: DocumentFilters
  parties: readonly Party[]
  /** Takes these filters away. `isLast`: no chip is left that could have the focus. */
  onClear: (names: readonly ChipName[], isLast: boolean) => void
}

export const FilterChips = ({ filters, parties, onClear }: FilterChipsProps) => {
  const shown = chipNames.filter((name) => filters[name] !== undefined)
  const list = useRef<HTMLUListElement>(null)
  const clear = (names: readonly ChipName[]) => {
    list.current?.focus()
    onClear(names, names.length === shown.length)
  }
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Filters"
      className="flex flex-wrap items-center gap-1.5 text-sm"
    >
      {shown.map((name) => {
        const text = texts[name](filters[name]!, parties)
        return (
          <li key={name}>
            <button
              type="button"
              aria-label={`Remove the filter: ${text}`}
              onClick={() => clear([name])}
              className="flex min-h-6 items-center gap-1 rounded-md bg-hover py-0.5 pr-1.5 pl-2 hover:bg-line"
            >
              {text}
              <Icon name="close" className="size-3 text-muted" />
            </button>
          </li>
        )
      })}
      {shown.length > 1 && (
        <li>
          <button
            type="button"
            onClick={() => clear(shown)}
            className="min-h-6 px-1.5 text-muted hover:text-ink"
          >
            Clear all
          </button>
        </li>
      )}
    </ul>
  )
}

/** Of several values with commas, as charts set them. */
const inWords = (values: string): string => values.split(',').map(wordsOf).join(' or ')

const nameOf = (id: string, parties: readonly Party[]): string =>
  parties.find((party) => party.id === id)?.name ?? '…'

/** Whatever the address says. */
const dayText = (day: string): string => (Number.isNaN(Date.parse(day)) ? day : dateText(day))

const texts: Record<ChipName, (value: string, parties: readonly Party[]) => string> = {
  type: inWords,
  connection: nameOf,
  status: inWords,
  since: (day) => `Dated on or after ${dayText(day)}`,
  until: (day) => `Dated by ${dayText(day)}`,
  due_from: (day) => `Due on or after ${dayText(day)}`,
  due_to: (day) => `Due by ${dayText(day)}`,
  currency: (code) => code.replaceAll(',', ' or '),
}

const chipNames = Object.keys(texts) as ChipName[]
