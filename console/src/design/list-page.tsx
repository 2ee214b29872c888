/** A page that is one list: filters in the address, rows by pages, and what to do when it is empty. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { Query } from '../api/call.ts'
import { nextShown, useFirstRows, useList } from '../api/reads.ts'
import { DensityButton } from '../shell/density-button.tsx'
import { Button, buttonClass } from './button.tsx'
import { Empty, Page, Panel, Refusal } from './layout.tsx'
import { OfferedMoves } from './offered-moves.ts'
import { type Options, Select } from './select.tsx'
import { type Column, Table } from './table.tsx'

export interface Selection<Row> {
  selected: ReadonlySet<string>
  onSelect: (keys: ReadonlySet<string>) => void
  rowName: (row: Row) => string
}

interface ListProps<Row> {
  caption: string
  path: string
  query?: Query
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  onOpen?: (row: Row) => void
  /** Rows can be chosen, for one action on all of them. */
  selection?: Selection<Row>
  /** Where changes are not in the stream. */
  refetchEveryMs?: number
  /** One of several regions: when it is empty, it takes little room. */
  isPart?: boolean
  /** Of the table: beside other regions. */
  isBeside?: boolean
  empty: { title: string; text: ReactNode; actions?: ReactNode }
  /** Of filters that are set: what takes them away. */
  clear?: ReactNode
  /** Rows that are left out of what was read, and what is said of so many. */
  leftOut?: { isLeftOut: (row: Row) => boolean; note: (count: number) => ReactNode } | undefined
}

/** The list alone, to stand among other regions. */
export function List<Row>(props: ListProps<Row>) {
  const { path, query, refetchEveryMs, leftOut } = props
  const list = useList<Row>(
    path,
    { limit: 50, ...query },
    refetchEveryMs === undefined ? {} : { refetchEveryMs },
  )
  if (leftOut === undefined) return <Rows {...props} list={list} onMore={list.fetchNextPage} />
  const isShown = (row: Row) => !leftOut.isLeftOut(row)
  const rows = list.rows?.filter(isShown)
  const count = (list.rows?.length ?? 0) - (rows?.length ?? 0)
  return (
    <>
      {count > 0 && leftOut.note(count)}
      <Rows {...props} list={{ ...list, rows }} onMore={nextShown(list, isShown)} />
    </>
  )
}

interface RowsProps<Row> extends ListProps<Row> {
  list: ReturnType<typeof useList<Row>>
  onMore: () => unknown
}

function Rows<Row>({
  list,
  onMore,
  caption,
  columns,
  rowKey,
  onOpen,
  selection,
  isPart = false,
  isBeside = false,
  empty,
  clear,
}: RowsProps<Row>) {
  const firstRows = useFirstRows(list)
  if (list.error && !list.rows?.length)
    return (
      <div className="p-4">
        <OfferedMoves value={() => clear}>
          <Refusal error={list.error} onRetry={() => void list.refetch()} />
        </OfferedMoves>
      </div>
    )
  if (firstRows) return <NoRowsYet {...firstRows} actions={clear} isSmall={isPart} />
  if (list.rows?.length === 0 && clear !== undefined)
    return (
      <div role="status">
        <Empty title="Nothing matches" actions={clear}>
          Every filter has to hold.
        </Empty>
      </div>
    )
  if (list.rows?.length === 0)
    return (
      <Empty title={empty.title} actions={empty.actions} isSmall={isPart}>
        {empty.text}
      </Empty>
    )
  return (
    <Table
      caption={caption}
      columns={columns}
      rowKey={rowKey}
      rows={list.rows}
      isBeside={isBeside}
      {...(onOpen === undefined ? {} : { onOpen })}
      {...selection}
      more={{ isMore: list.hasNextPage, isLoading: list.isFetchingNextPage, load: onMore }}
    />
  )
}

interface NoRowsYetProps {
  isSearching: boolean
  goOn: () => void
  actions?: ReactNode
  isSmall?: boolean
}

/** Of many rows, those that were looked at do not match. */
export const NoRowsYet = ({ isSearching, goOn, actions, isSmall = false }: NoRowsYetProps) => (
  <div role="status">
    <Empty
      title={isSearching ? 'Searching older entries…' : 'Nothing matches so far'}
      isSmall={isSmall}
      actions={
        <>
          {!isSearching && <Button onClick={goOn}>Show more</Button>}
          {actions}
        </>
      }
    >
      {isSearching ? 'The newest do not match.' : 'There are older entries yet to look at.'}
    </Empty>
  </div>
)

interface ListPanelProps<Row> extends Omit<ListProps<Row>, 'caption'> {
  title: string
  aside?: ReactNode
}

/** A list as one region of a page, named by its title. */
export function ListPanel<Row>({ title, aside, ...list }: ListPanelProps<Row>) {
  return (
    <Panel title={title} aside={aside} className="overflow-hidden">
      <List caption={title} isPart {...list} />
    </Panel>
  )
}

interface ListPageProps<Row> extends ListProps<Row> {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  filters?: ReactNode
  children?: ReactNode
}

export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, lead, actions, filters, children, ...list } = props
  const isNarrowed = filters !== undefined && Object.values(list.query ?? {}).some(Boolean)
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <>
          <DensityButton />
          {actions}
        </>
      }
    >
      {children}
      {filters && <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">{filters}</div>}
      <Panel className="overflow-hidden">
        <List {...list} {...(isNarrowed && { clear: <ClearFilters /> })} />
      </Panel>
    </Page>
  )
}

const ClearFilters = () => (
  <Link to="." search={{}} className={buttonClass()}>
    Clear filters
  </Link>
)

interface ChoiceProps {
  label: string
  value: string | undefined
  options: Options
  onChoose: (value: string | undefined) => void
}

/** One filter of a list; the first option is none. */
export const Choice = ({ label, value = '', options, onChoose }: ChoiceProps) => {
  const id = useId()
  return (
    <div className={`flex items-center gap-2 ${value === '' ? 'print:hidden' : ''}`}>
      <label htmlFor={id} className="text-sm text-muted">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        data-chosen={value === '' ? undefined : true}
        options={[['', 'All'], ...options]}
        onChange={(event) => onChoose(event.target.value === '' ? undefined : event.target.value)}
      />
    </div>
  )
}
