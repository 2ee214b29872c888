/** The amounts of one day; each opens its document. */
import { Link } from '@tanstack/react-router'
import { Money } from '../design/format.tsx'
import { PartyName } from '../design/party-name.tsx'
import type { CalendarEntry } from './calendar-entries.ts'

interface DayEntriesProps {
  org: string
  entries: readonly CalendarEntry[]
  /** A line of a list, not a cell of a month. */
  isLarge?: boolean
}

/** So many stand in a cell; the others are unfolded. */
const openMost = 3

export const DayEntries = ({ org, entries, isLarge = false }: DayEntriesProps) => {
  const open = isLarge ? entries : entries.slice(0, openMost)
  const folded = entries.slice(open.length)
  return (
    <>
      <Entries org={org} entries={open} isLarge={isLarge} />
      {folded.length > 0 && (
        <details>
          <summary className="rounded-sm px-1.5 py-1 text-xs text-muted hover:text-ink">
            {folded.length} more
          </summary>
          <Entries org={org} entries={folded} isLarge={false} />
        </details>
      )}
    </>
  )
}

const tones: Record<CalendarEntry['kind'], string> = {
  scheduled: 'border-accent',
  late: 'border-amber-edge',
  due: 'border-edge',
  overdue: 'border-red',
}

const words: Record<CalendarEntry['kind'], readonly [text: string, className: string]> = {
  scheduled: ['Scheduled', 'text-muted'],
  late: ['Scheduled late', 'text-amber'],
  due: ['Due', 'text-muted'],
  overdue: ['Overdue', 'text-red'],
}

/** An amount is one word, and a cell is narrow. */
const sizeOf = ({ amount }: CalendarEntry): string =>
  amount < 1_000_000_000 ? '' : 'text-[0.6875rem] tracking-tight'

const Entries = ({ org, entries, isLarge }: Required<DayEntriesProps>) => (
  <ul className={isLarge ? 'grid gap-1' : 'grid gap-0.5'}>
    {entries.map((entry) => (
      <li key={entry.id} className="min-w-0">
        <Link
          to="/o/$org/documents/$document"
          params={{ org, document: entry.document }}
          search={{}}
          className={`block border-l-2 hover:bg-hover ${tones[entry.kind]} ${isLarge ? 'px-3 py-1.5' : 'py-0.5 pl-1.5 text-xs'}`}
        >
          <span className="block truncate font-medium">
            {entry.direction === 'outgoing' ? 'To ' : 'From '}
            <PartyName connection={entry.connection} />
          </span>
          {entry.number !== null && <span className="block text-muted">{entry.number}</span>}
          <span className="flex flex-wrap justify-between gap-x-2">
            <span className={words[entry.kind][1]}>{words[entry.kind][0]}</span>
            <span
              className={`ml-auto ${entry.direction === 'incoming' ? 'text-green' : ''} ${isLarge ? '' : sizeOf(entry)}`}
            >
              <Money amount={entry.amount} currency={entry.currency} />
            </span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
)
