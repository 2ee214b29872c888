/** The amounts of one day; each opens its document. */
import { Link } from '@tanstack/react-router'
import { Money, wordsOf } from '../design/format.tsx'
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
  due: 'border-edge',
  overdue: 'border-red',
}

const Entries = ({ org, entries, isLarge }: Required<DayEntriesProps>) => (
  <ul className={isLarge ? 'grid gap-1' : 'grid gap-0.5'}>
    {entries.map(({ id, kind, direction, connection, document, amount, currency }) => (
      <li key={id} className="min-w-0">
        <Link
          to="/o/$org/documents/$document"
          params={{ org, document }}
          search={{}}
          className={`block border-l-2 hover:bg-hover ${tones[kind]} ${isLarge ? 'px-3 py-1.5' : 'px-1.5 py-0.5 text-xs'}`}
        >
          <span className="block truncate font-medium">
            {direction === 'outgoing' ? 'To ' : 'From '}
            <PartyName connection={connection} />
          </span>
          <span className="flex flex-wrap justify-between gap-x-2">
            <span className={kind === 'overdue' ? 'text-red' : 'text-muted'}>{wordsOf(kind)}</span>
            <span className={direction === 'incoming' ? 'text-green' : ''}>
              <Money amount={amount} currency={currency} />
            </span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
)
