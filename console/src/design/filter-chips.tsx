/** Filters that a chart has set, each with what takes it off. */
import { dateText } from './format.tsx'
import { Icon } from './icon.tsx'

interface Chip {
  /** Undefined while the filter is not set. */
  text: string | undefined
  clear: () => void
}

export const FilterChips = ({ chips }: { chips: readonly Chip[] }) => {
  const set = chips.filter(({ text }) => text !== undefined)
  if (set.length === 0) return null
  return (
    <ul aria-label="More filters" className="flex flex-wrap gap-2">
      {set.map(({ text, clear }) => (
        <li key={text}>
          <button
            type="button"
            onClick={clear}
            className="flex h-7 items-center gap-1.5 rounded-md border border-accent bg-accent-tint px-2 text-sm text-accent max-md:h-10"
          >
            {text}
            <Icon name="close" className="size-3" />
            <span className="sr-only">Take this filter off</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** What lies between two days, in words. */
export const rangeText = (
  word: string,
  from: string | undefined,
  to: string | undefined,
): string | undefined => {
  if (from === undefined) return to === undefined ? undefined : `${word} until ${dateText(to)}`
  if (to === undefined) return `${word} from ${dateText(from)}`
  return from === to ? `${word} ${dateText(from)}` : `${word} ${dateText(from)} – ${dateText(to)}`
}
