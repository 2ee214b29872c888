/** A filter of a list by days: the first and the last one, each of which may stay open. */
interface DayRangeProps {
  label: string
  from: string | undefined
  until: string | undefined
  onFrom: (day: string) => void
  onUntil: (day: string) => void
}

export const DayRange = ({ label, from, until, onFrom, onUntil }: DayRangeProps) => (
  <div
    role="group"
    aria-label={label}
    className="flex min-w-0 items-center gap-1.5 text-sm text-muted max-md:col-span-2 max-md:w-full print:not-has-data-chosen:hidden"
  >
    <span className="max-md:w-12">{label}</span>
    <Day label={`${label} from`} day={from} onChange={onFrom} />–
    <Day label={`${label} until`} day={until} onChange={onUntil} />
  </div>
)

interface DayProps {
  label: string
  day: string | undefined
  onChange: (day: string) => void
}

const Day = ({ label, day = '', onChange }: DayProps) => (
  <input
    type="date"
    aria-label={label}
    value={day}
    onChange={({ target }) => onChange(target.value)}
    data-chosen={day === '' ? undefined : true}
    className="h-8 min-w-0 rounded-md border border-edge bg-raised px-2.5 text-base data-chosen:border-accent data-chosen:bg-accent-tint data-chosen:text-accent max-md:h-10 max-md:flex-1"
  />
)
