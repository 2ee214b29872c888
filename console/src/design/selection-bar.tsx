/** What can be done with all rows that are chosen, over the end of the list. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface SelectionBarProps {
  label: string
  count: number
  onClear: () => void
  children: ReactNode
}

export const SelectionBar = ({ label, count, onClear, children }: SelectionBarProps) => (
  <div
    role="region"
    data-selection
    aria-label={label}
    className="sticky bottom-4 z-10 mx-auto mt-4 flex w-fit max-w-full animate-appear flex-wrap items-center gap-2 rounded-lg bg-raised p-2 pl-4 popup-shadow"
  >
    <span className="mr-2 font-medium">{count.toLocaleString('en')} selected</span>
    {children}
    <Button kind="quiet" onClick={onClear}>
      Clear
    </Button>
  </div>
)
