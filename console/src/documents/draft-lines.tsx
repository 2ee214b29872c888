/** The lines of a draft: Enter in the last field starts the next line. */
import type { KeyboardEvent } from 'react'
import { Button, IconButton } from '../design/button.tsx'
import { type DraftLine, newLine } from './draft.ts'

interface DraftLinesProps {
  lines: readonly DraftLine[]
  onChange: (lines: readonly DraftLine[]) => void
}

const fields = [
  ['description', 'Description', 'col-span-2 sm:col-span-1'],
  ['quantity', 'Quantity', ''],
  ['unitPrice', 'Unit price', ''],
  ['taxPercent', 'Tax %', ''],
  ['sku', 'SKU', ''],
] as const

const grid = 'grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,3fr)_72px_104px_64px_96px_32px]'

export const DraftLines = ({ lines, onChange }: DraftLinesProps) => {
  const add = () => onChange([...lines, newLine()])
  const onKey = (event: KeyboardEvent, isLast: boolean) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (isLast) add()
  }
  return (
    <div className="p-4">
      <div aria-hidden="true" className={`${grid} mb-1 text-sm text-muted max-sm:hidden`}>
        {fields.map(([name, label]) => (
          <span key={name}>{label}</span>
        ))}
      </div>
      <ul className="grid gap-2 max-sm:gap-4">
        {lines.map((line, i) => (
          <li key={line.id} className={grid}>
            {fields.map(([name, label, className]) => (
              <input
                key={name}
                aria-label={`${label} of line ${i + 1}`}
                placeholder={label}
                autoFocus={name === 'description' && line.description === '' && i > 0}
                inputMode={name === 'description' || name === 'sku' ? 'text' : 'decimal'}
                value={line[name]}
                onKeyDown={(event) => onKey(event, i === lines.length - 1)}
                onChange={(event) =>
                  onChange(
                    lines.map((other) =>
                      other.id === line.id ? { ...other, [name]: event.target.value } : other,
                    ),
                  )
                }
                className={`h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2 max-md:h-10 ${name === 'description' || name === 'sku' ? '' : 'text-right tabular'} ${className}`}
              />
            ))}
            <IconButton
              icon="close"
              label={`Remove line ${i + 1}`}
              onClick={() => onChange(lines.filter(({ id }) => id !== line.id))}
            />
          </li>
        ))}
      </ul>
      <Button className="mt-3" icon="plus" onClick={add}>
        Add line
      </Button>
    </div>
  )
}
