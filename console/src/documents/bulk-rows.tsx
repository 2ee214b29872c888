/** The documents of a bulk action: what each is, and what it is found to be or has become. */
import { type ReactNode, memo } from 'react'
import type { ApiError } from '../api/call.ts'
import type { Currency, DocumentRecord } from '../api/types.ts'
import type { Written } from '../api/writes.ts'
import { Money } from '../design/format.tsx'
import { sumOf } from '../design/money.ts'
import { Status, type Tone } from '../design/status.tsx'
import { ApprovalLink } from '../design/waits-for-approval.tsx'
import type { BulkRow } from './bulk-work.ts'
import { partyOf, titleOf } from './document-names.ts'

export interface RowTexts {
  amountOf: (document: DocumentRecord) => number
  /** What else one has to know of it. */
  noteOf?: (document: DocumentRecord) => ReactNode
  /** What one that can be done is called. */
  possible: string
  doneOf: (done: Written<DocumentRecord>) => readonly [Tone, string]
  /** Why it was refused, where the service does not say it as well. */
  reasonOf?: (row: BulkRow) => string | undefined
}

interface BulkRowsProps {
  rows: readonly BulkRow[]
  /** How many are done with. */
  progress: number
  /** The same object each time, so that no row is drawn again in vain. */
  texts: RowTexts
  /** Which of them are not meant after all, and how one says so. */
  leftOut?: ReadonlySet<string>
  onLeaveOut?: ((id: string) => void) | undefined
}

export const BulkRows = ({ rows, progress, texts, leftOut, onLeaveOut }: BulkRowsProps) => (
  <>
    <progress
      aria-label="Progress"
      className={`mb-3 h-1 w-full ${progress === 0 ? 'opacity-0' : ''}`}
      max={rows.length}
      value={progress}
    />
    <ul
      className="max-h-[45vh] divide-y divide-line overflow-y-auto rounded-md border border-line"
      tabIndex={0}
      aria-label="Documents"
    >
      {rows.map((row) => (
        <RowItem
          key={row.document.id}
          row={row}
          texts={texts}
          isLeftOut={leftOut?.has(row.document.id) ?? false}
          onLeaveOut={onLeaveOut}
        />
      ))}
    </ul>
  </>
)

interface RowItemProps {
  row: BulkRow
  texts: RowTexts
  isLeftOut: boolean
  onLeaveOut: ((id: string) => void) | undefined
}

/** One of hundreds, so only the one that has changed is drawn again. */
const RowItem = memo(({ row, texts, isLeftOut, onLeaveOut }: RowItemProps) => {
  const { document, refusal } = row
  const note = texts.noteOf?.(document)
  return (
    <li className="flex gap-3 px-3 py-2 [content-visibility:auto] [contain-intrinsic-size:auto_1.25rem]">
      {onLeaveOut && (
        <input
          type="checkbox"
          aria-label={`Include ${titleOf(document)}`}
          className="mt-0.5 size-4 shrink-0"
          checked={!isLeftOut}
          onChange={() => onLeaveOut(document.id)}
        />
      )}
      <span
        className={`grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-4 sm:grid-cols-[minmax(0,1fr)_auto_8.5rem] ${isLeftOut ? 'text-muted' : ''}`}
      >
        <span className="break-words">
          <span className="whitespace-nowrap">{titleOf(document)}</span> ·{' '}
          <bdi>{partyOf(document)}</bdi>
          {note && <span className="block text-sm text-muted">{note}</span>}
        </span>
        <span className="text-right">
          <Money amount={texts.amountOf(document)} currency={document.currency} />
        </span>
        <span className="max-sm:col-span-2">
          {isLeftOut ? (
            <Status tone="neutral">Left out</Status>
          ) : (
            <RowState row={row} texts={texts} />
          )}
        </span>
        {row.done?.body.payment?.failure && (
          <span className="col-span-full text-sm text-red">
            {row.done.body.payment.failure.message}
          </span>
        )}
        {refusal && !isLeftOut && (
          <span className="col-span-full text-sm">
            <RowRefusal refusal={refusal} reason={texts.reasonOf?.(row)} />
          </span>
        )}
      </span>
    </li>
  )
})

const RowRefusal = ({ refusal, reason }: { refusal: ApiError; reason: string | undefined }) => {
  if (refusal.approval !== undefined) return <ApprovalLink approval={refusal.approval} />
  return (
    <span className={refusal.isUndecided ? 'text-muted' : 'text-red'}>
      {reason ?? refusal.explanation}
    </span>
  )
}

const RowState = ({ row, texts }: { row: BulkRow; texts: RowTexts }) => {
  if (row.done !== undefined) {
    const [tone, text] = texts.doneOf(row.done)
    return <Status tone={tone}>{text}</Status>
  }
  if (row.refusal === undefined) return <Status tone="neutral">Checking</Status>
  if (row.refusal?.approval !== undefined) return <Status tone="waiting">Needs approval</Status>
  if (row.refusal?.isUndecided === true) return <Status tone="warning">No answer</Status>
  return row.refusal === null ? (
    <Status tone="accent">{texts.possible}</Status>
  ) : (
    <Status tone="bad">Refused</Status>
  )
}

export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** Amounts of different currencies are never added up. */
export const sumsOf = (
  rows: readonly BulkRow[],
  amountOf: RowTexts['amountOf'],
): (readonly [Currency, number])[] => {
  const currencies = [...new Set(rows.map(({ document }) => document.currency))]
  const amountsIn = (currency: Currency) =>
    rows.flatMap(({ document }) => (document.currency === currency ? amountOf(document) : []))
  return currencies.map((currency) => [currency, sumOf(amountsIn(currency))])
}

/** A button with sums of several currencies has more lines where it has little room. */
export const buttonOfSums =
  'max-w-full [&>button]:h-auto [&>button]:min-h-8 [&>button]:py-1 [&>button]:whitespace-normal'

/** Each by itself: in a line of Arabic digits, an amount would stand beside another's currency. */
export const Sums = ({ sums }: { sums: readonly (readonly [Currency, number])[] }) =>
  sums.map(([currency, sum], i) => (
    <span key={currency}>
      {i > 0 && ' + '}
      <bdi>
        <Money amount={sum} currency={currency} />
      </bdi>
    </span>
  ))
