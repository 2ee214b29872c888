/**
 * Tables of rows that the server pages: j and k move, Enter opens, x and Space select. Where a
 * table has little room, whatever the width of the screen, a row is its first column with the
 * details below it.
 */
import { type ReactNode, type RefObject, memo, useRef } from 'react'
import { useShortcuts } from '../shell/shortcuts.ts'
import { Button } from './button.tsx'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** Amounts stand right; what is `wide` is left out where there is little room. */
  align?: 'right'
  isWide?: boolean
  className?: string
}

interface TableProps<Row> {
  caption: string
  /** Beside other regions its columns are few or short, and need less room. */
  isBeside?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** What a row that can be selected is called. */
  rowName?: (row: Row) => string
  onOpen?: (row: Row) => void
  onPoint?: (row: Row) => void
  selected?: ReadonlySet<string>
  onSelect?: (keys: ReadonlySet<string>) => void
  more?: { isMore: boolean; isLoading: boolean; load: () => void }
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, onOpen, selected, onSelect, more, isBeside } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const latest = useRef(props)
  latest.current = props
  useRowKeys(body, props)
  const areAllSelected = (rows?.length ?? 0) > 0 && rows!.every((row) => selected?.has(rowKey(row)))
  return (
    <div className={`overflow-x-auto ${isBeside ? '@container/part' : '@container/page'}`}>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-muted">
            {onSelect && (
              <th scope="col" className="w-10 pl-4">
                <SelectBox
                  label="Select all rows"
                  isChecked={areAllSelected}
                  onChange={() => onSelect(new Set(areAllSelected ? [] : rows?.map(rowKey)))}
                />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={cellClass(column, 'py-2 font-normal whitespace-nowrap')}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          ref={body}
          onKeyDown={(event) => {
            if (event.key !== ' ' || !onSelect || !(event.target instanceof HTMLAnchorElement))
              return
            event.preventDefault()
            pick(props, rowAt(event.target as Element))
          }}
        >
          {rows === undefined && (
            <SkeletonRows columns={columns} isSelectable={onSelect !== undefined} />
          )}
          {rows?.map((row) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              latest={latest}
              isSelected={selected?.has(rowKey(row)) ?? false}
            />
          ))}
        </tbody>
      </table>
      {more?.isMore && (
        <p className="border-t border-line p-3 text-center">
          <span className="hidden print:inline">There are more than are shown here.</span>
          <Button kind="quiet" onClick={more.load}>
            {more.isLoading ? 'Loading…' : 'Show more'}
          </Button>
        </p>
      )}
    </div>
  )
}

interface TableRowProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  isSelected: boolean
  /** What to do with a row, which may change without drawing the rows again. */
  latest: RefObject<TableProps<Row>>
}

/** One of hundreds: with the same columns, it is drawn again only when the row itself has changed. */
const TableRow = memo(<Row,>({ row, columns, isSelected, latest }: TableRowProps<Row>) => {
  const { rowKey, rowName = rowKey, onOpen, onSelect } = latest.current
  const key = rowKey(row)
  return (
    <tr
      data-row={key}
      onClick={(event) => opensRow(event.target) && latest.current.onOpen?.(row)}
      onPointerEnter={() => latest.current.onPoint?.(row)}
      className={`border-b border-line last:border-0 focus-within:bg-hover ${onOpen ? 'cursor-pointer hover:bg-hover' : ''} ${isSelected ? 'bg-accent-tint' : ''}`}
    >
      {onSelect && (
        <td className="pl-4">
          <SelectBox
            label={`Select ${rowName(row)}`}
            isChecked={isSelected}
            onChange={() => pick(latest.current, key)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.title} className={cellClass(column, 'py-2.5')}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: TableRowProps<Row>) => ReactNode

/** The row that was selected last, whose key no other table has. */
let last = ''

/** Selects a row or lets go of it; as a range, all from the last one to it. */
const pick = <Row,>(props: TableProps<Row>, key: string | undefined, isRange?: true): void => {
  const { rows = [], rowKey, selected, onSelect } = props
  if (key === undefined) return
  const keys = rows.map(rowKey)
  const ends = [keys.indexOf(last), keys.indexOf(key)]
  const next = new Set(selected)
  if (isRange && ends[0] !== -1)
    keys.slice(Math.min(...ends), Math.max(...ends) + 1).forEach(next.add, next)
  else if (!next.delete(key)) next.add(key)
  last = key
  onSelect?.(next)
}

const rowAt = (element: Element | null): string | undefined =>
  element?.closest<HTMLElement>('[data-row]')?.dataset['row']

const cellClass = <Row,>(column: Column<Row>, more: string): string => {
  const { title, align, isWide, className = '' } = column
  return `px-2 first:pl-4 last:pr-4 ${title === 'Actions' ? 'acts' : ''} ${align === 'right' ? 'text-right tabular' : ''} ${isWide ? 'wide narrow:hidden' : ''} ${className} ${more}`
}

/** What a narrow table shows below an amount, in place of a column that it leaves out. */
export const BelowOnNarrow = ({ children }: { children: ReactNode }) => (
  <span className="flex justify-end text-sm *:whitespace-normal roomy:hidden">{children}</span>
)

/** A click on a link or a box inside of a row does what that does. */
const opensRow = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.closest('a, button, input, label') === null &&
  getSelection()?.isCollapsed !== false

const useRowKeys = <Row,>(
  body: RefObject<HTMLTableSectionElement | null>,
  props: TableProps<Row>,
): void => {
  const { rows = [], rowKey, onPoint } = props
  const firstLinks = () =>
    [...(body.current?.querySelectorAll('[data-row]') ?? [])].flatMap(
      (row) => row.querySelector<HTMLElement>('a, button') ?? [],
    )
  const focusedIndex = () => {
    const row = document.activeElement?.closest('[data-row]')
    return firstLinks().findIndex((link) => link.closest('[data-row]') === row)
  }
  const move = (by: number) => {
    const all = firstLinks()
    const at = focusedIndex()
    const next = all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]
    next?.focus()
    next?.closest('[data-row]')?.scrollIntoView({ block: 'nearest' })
    const key = rowAt(next ?? null)
    const row = rows.find((row) => rowKey(row) === key)
    if (row !== undefined) onPoint?.(row)
  }
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    x: () => pick(props, rowAt(document.activeElement)),
    X: () => pick(props, rowAt(document.activeElement), true),
  })
}

interface SelectBoxProps {
  label: string
  isChecked: boolean
  onChange: () => void
}

const SelectBox = (props: SelectBoxProps) => (
  <label className="-m-1 grid size-6 place-items-center">
    <input
      type="checkbox"
      aria-label={props.label}
      checked={props.isChecked}
      onChange={props.onChange}
      className="size-4"
    />
  </label>
)

const widths = ['w-3/4', 'w-1/2', 'w-2/3']

const SkeletonRows = <Row,>(props: { columns: readonly Column<Row>[]; isSelectable: boolean }) =>
  Array.from({ length: 6 }, (_, row) => (
    <tr key={row} className="border-b border-line last:border-0" aria-hidden="true">
      {props.isSelectable && <td className="w-10" />}
      {props.columns.map((column, i) => (
        <td key={column.title} className={cellClass(column, 'py-3.5')}>
          <div
            className={`h-3 animate-pulse rounded-sm bg-line ${widths[(row + i) % 3]} ${column.align ? 'ml-auto' : ''}`}
          />
        </td>
      ))}
    </tr>
  ))
