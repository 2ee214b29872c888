/** The lines of a draft: Enter in the last field starts the next line. */
import { type KeyboardEvent, memo, useId } from 'react'
import { problemText } from '../api/call.ts'
import { Button, IconButton } from '../design/button.tsx'
import { useProblems } from '../design/form.tsx'
import { doubtOf } from '../design/typed-numbers.ts'
import { type DraftLine, isOverAllTax, isSent, newLine } from './draft.ts'
import { type LineField, lineLabels } from './draft-differences.ts'

export type EditLines = (edit: (lines: readonly DraftLine[]) => readonly DraftLine[]) => void

interface DraftLinesProps {
  lines: readonly DraftLine[]
  /** Stays the same function, so that a key renders one line again and not all of them. */
  onEdit: EditLines
}

const fields = Object.entries(lineLabels) as [LineField, string][]

/** Where each stands in the body. What a refusal names besides them is shown at the description. */
const fieldsOfMembers: Readonly<Record<string, LineField>> = {
  quantity: 'quantity',
  unit_price: 'unitPrice',
  sku: 'sku',
  tax_rate: 'taxPercent',
  tax_category: 'taxPercent',
  discount_type: 'discount',
  discount_value: 'discount',
}

/** In one row where the panel is wide enough, whatever the width of the screen. */
const grid =
  'grid grid-cols-2 gap-2 @min-[37.5rem]:grid-cols-[minmax(0,3fr)_4.5rem_6.5rem_4rem_6rem_5rem_2rem]'

export const DraftLines = ({ lines, onEdit }: DraftLinesProps) => (
  <div className="@container p-4">
    <div aria-hidden="true" className={`${grid} mb-1 text-sm text-muted @max-[37.5rem]:hidden`}>
      {fields.map(([name, label]) => (
        <span key={name} className={`px-2 whitespace-nowrap ${isText(name) ? '' : 'text-right'}`}>
          {label}
        </span>
      ))}
    </div>
    <ul className="-my-1 @max-[37.5rem]:-my-2">
      {lines.map((line, i) => (
        <Line
          key={line.id}
          line={line}
          onEdit={onEdit}
          number={i + 1}
          place={isSent(line) ? lines.slice(0, i).filter(isSent).length : null}
          isLast={i === lines.length - 1}
        />
      ))}
    </ul>
    <Button className="mt-3" icon="plus" onClick={() => addTo(onEdit)}>
      Add line
    </Button>
  </div>
)

/**
 * The browser lays out and paints only the lines on the screen: every input is a box that scrolls, so
 * without this each key costs as much as there are lines. The padding keeps the ring of the focus.
 */
const drawnOnScreen =
  '-mx-1 p-1 @max-[37.5rem]:py-2 [content-visibility:auto] [contain-intrinsic-size:auto_2rem] @max-[37.5rem]:[contain-intrinsic-size:auto_17rem]'

const addTo = (onEdit: EditLines): void => onEdit((lines) => [...lines, newLine()])

const isText = (name: LineField): boolean => name === 'description' || name === 'sku'

interface LineProps {
  line: DraftLine
  number: number
  /** In the body; null for a line that is not sent. */
  place: number | null
  isLast: boolean
  onEdit: EditLines
}

const Line = memo(({ line, number, place, isLast, onEdit }: LineProps) => {
  const id = useId()
  const problems = useLineProblems(place, line)
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (isLast) addTo(onEdit)
  }
  return (
    <li className={`${grid} ${drawnOnScreen}`}>
      {fields.map(([name, label]) => (
        <label
          key={name}
          className={`grid ${name === 'description' ? 'col-span-2 @min-[37.5rem]:col-span-1' : ''}`}
        >
          <span aria-hidden="true" className="mb-0.5 text-sm text-muted @min-[37.5rem]:hidden">
            {label}
          </span>
          <input
            aria-label={`${label} of line ${number}`}
            placeholder={name === 'discount' ? '5% or 5' : label}
            autoFocus={name === 'description' && line.description === '' && number > 1}
            inputMode={isText(name) ? 'text' : 'decimal'}
            value={line[name]}
            aria-invalid={problems.some(({ field }) => field === name)}
            aria-describedby={
              problems.some(({ field }) => field === name) ? `${id}-${name}` : undefined
            }
            onKeyDown={onKey}
            onChange={({ target: { value } }) =>
              onEdit((lines) =>
                lines.map((other) => (other.id === line.id ? { ...other, [name]: value } : other)),
              )
            }
            className={`h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2 aria-invalid:border-red max-md:h-10 ${isText(name) ? '' : 'text-right tabular'}`}
          />
        </label>
      ))}
      <IconButton
        icon="close"
        label={`Remove line ${number}`}
        className="self-end"
        onClick={({ currentTarget }) => {
          focusBeside(currentTarget.closest('li')!)
          onEdit((lines) => lines.filter((other) => other.id !== line.id))
        }}
      />
      {fields.map(([name, label]) => {
        const texts = problems.filter(({ field }) => field === name).map(({ text }) => text)
        return (
          texts.length > 0 && (
            <p key={name} id={`${id}-${name}`} className="col-span-full text-sm text-red">
              {label}: {texts.join(' ')}
            </p>
          )
        )
      })}
    </li>
  )
})

/** The next line takes the focus of one that goes, after the last one the button below them. */
const focusBeside = (line: HTMLLIElement): void => {
  const below = line.nextElementSibling ?? line.parentElement!.nextElementSibling!
  ;(below.querySelector('button') ?? (below as HTMLElement)).focus()
}

const useLineProblems = (place: number | null, line: DraftLine) => {
  const named = useProblems(place === null ? undefined : `/line_items/${place}`)
  return named.map((problem) => {
    const field = fieldsOfMembers[problem.param.split('/')[3] ?? ''] ?? 'description'
    const doubt = isText(field) ? undefined : doubtOf(line[field])
    // The service speaks of the fraction that it gets.
    const isTooMuchTax = field === 'taxPercent' && isOverAllTax(line)
    return { field, text: doubt ?? (isTooMuchTax ? 'At most 100 %.' : problemText(problem)) }
  })
}
