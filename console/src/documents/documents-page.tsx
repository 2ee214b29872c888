/** The documents of both sides, as one list. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { curlOf } from '../api/curl.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { readOptions, useFirstRows } from '../api/reads.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { DownloadButton } from '../design/download-button.tsx'
import { NoRowsYet } from '../design/list-page.tsx'
import { DateText, Money } from '../design/format.tsx'
import { Command, Empty, Page, Panel, Refusal } from '../design/layout.tsx'
import { DocumentStatusMark } from '../design/status.tsx'
import { BelowOnNarrow, type Column, Table } from '../design/table.tsx'
import { DensityButton } from '../shell/density-button.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { partyOf, referenceOf, titleOf } from './document-names.ts'
import { FilterBar } from './filter-bar.tsx'
import type { DocumentFilters } from './filters.ts'
import { useDocuments } from './list-of-documents.ts'
import { loadedPagesMost } from './loaded-pages.ts'
import { SelectedDocuments } from './selected-documents.tsx'
import { viewTextOf } from './view-texts.ts'
import { isNarrowed } from './views.ts'

const route = getRouteApi('/o/$org/documents')

const DocumentsPage = () => {
  const filters = route.useSearch()
  const { org } = route.useParams()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const list = useDocuments(filters)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const columns = useMemo(() => columnsOf(org, filters), [org, filters])
  const search = useRef<HTMLInputElement>(null)
  const [isSelecting, setIsSelecting] = useState(false)
  const selectMatching = async () => {
    if (isSelecting) return
    setIsSelecting(true)
    await selectAllPages()
    setIsSelecting(false)
  }
  const selectAllPages = async () => {
    let { data, hasNextPage } = list
    while (hasNextPage && (data?.pages.length ?? 0) < loadedPagesMost) {
      const next = await list.fetchNextPage()
      // It is shown with the list, which would be asked for the same page forever.
      if (next.isError) return
      ;({ data, hasNextPage } = next)
    }
    setSelected(new Set(data?.pages.flatMap((page) => page.data.map(({ id }) => id))))
  }
  const prefetch = ({ id }: DocumentRecord) =>
    void cache.prefetchQuery({ ...readOptions(org, `/v1/documents/${id}`), staleTime: 10_000 })
  const firstRows = useFirstRows(list)
  const areMostLoaded = (list.data?.pages.length ?? 0) >= loadedPagesMost
  const chosen = list.rows?.filter(({ id }) => selected.has(id)) ?? []
  const isCut = areMostLoaded && list.hasNextPage && chosen.length === list.rows?.length
  useShortcuts({ '/': () => search.current?.focus(), '*': () => void selectMatching() })

  return (
    <Page
      title="Documents"
      actions={
        <>
          <DensityButton />
          <DownloadButton path="/v1/documents.csv" query={list.query} filename="documents.csv">
            Download CSV
          </DownloadButton>
          <NewDocument org={org} />
        </>
      }
    >
      <FilterBar filters={filters} searchField={search} />
      <Panel className="overflow-hidden">
        {firstRows ? (
          <NoRowsYet {...firstRows} />
        ) : list.error && !list.rows?.length ? (
          <div className="p-4">
            <Refusal error={list.error} onRetry={() => void list.refetch()} />
          </div>
        ) : list.rows?.length === 0 ? (
          <NoDocuments filters={filters} org={org} />
        ) : (
          <Table
            caption={`${viewTextOf(filters).title}: documents, newest first`}
            columns={columns}
            rows={list.rows}
            rowKey={({ id }) => id}
            rowName={(document) => `${titleOf(document)}, ${partyOf(document)}`}
            onOpen={({ id }) =>
              void navigate({
                to: '/o/$org/documents/$document',
                params: { org, document: id },
                search: filters,
              })
            }
            onPoint={prefetch}
            selected={selected}
            onSelect={setSelected}
            more={{
              isMore: list.hasNextPage,
              isLoading: list.isFetchingNextPage,
              load: () => void list.fetchNextPage(),
            }}
          />
        )}
      </Panel>
      <SelectedDocuments
        documents={chosen}
        isCut={isCut}
        isSelecting={isSelecting}
        onSelectMatching={list.hasNextPage && !areMostLoaded ? selectMatching : undefined}
        onClear={() => setSelected(new Set())}
      />
    </Page>
  )
}

export default DocumentsPage

const columnsOf = (org: string, filters: DocumentFilters): Column<DocumentRecord>[] => [
  {
    title: 'Number',
    className: 'narrow:w-full narrow:max-w-0',
    cell: (document) => (
      <>
        {/* On a narrow screen the kind is left out where it has no room beside the number. */}
        <span className="flex flex-wrap items-center gap-2 narrow:-m-1 narrow:h-7 narrow:overflow-hidden narrow:p-1">
          <Link
            to="/o/$org/documents/$document"
            params={{ org, document: document.id }}
            search={filters}
            className="font-medium whitespace-nowrap"
          >
            {document.number ?? 'Draft'}
          </Link>
          <span className="text-xs whitespace-nowrap text-muted roomy:hidden">
            {document.label}
          </span>
        </span>
        <bdi className="block truncate text-sm text-muted roomy:hidden">{partyOf(document)}</bdi>
      </>
    ),
  },
  {
    title: 'Kind',
    isWide: true,
    className: '@max-[58rem]:hidden whitespace-nowrap text-muted',
    cell: ({ label }) => label,
  },
  {
    title: 'Party',
    isWide: true,
    // With the reference, it gives its room to amounts that are long.
    className: 'w-1/5 max-w-14 @min-[70rem]:max-w-24 truncate',
    cell: (document) => <bdi>{partyOf(document)}</bdi>,
  },
  { title: 'State', isWide: true, cell: (document) => <DocumentStatusMark {...document} /> },
  {
    title: 'Date',
    isWide: true,
    className: '@max-[60rem]:hidden',
    cell: ({ document_date }) => <DateText date={document_date} isShort />,
  },
  { title: 'Due', isWide: true, cell: ({ due_date }) => <DateText date={due_date} isShort /> },
  {
    title: 'Reference',
    isWide: true,
    className: '@max-[66rem]:hidden w-[12%] max-w-9 truncate text-muted',
    cell: referenceOf,
  },
  {
    title: 'Total',
    align: 'right',
    cell: (document) => (
      <>
        <Money amount={document.total} currency={document.currency} />
        <BelowOnNarrow>
          <DocumentStatusMark {...document} />
        </BelowOnNarrow>
      </>
    ),
  },
  {
    title: 'Open',
    align: 'right',
    isWide: true,
    // Nobody owes what is only a draft.
    cell: ({ balance_due, currency, phase }) =>
      balance_due === 0 || phase === 'draft' ? (
        <span className="text-faint">–</span>
      ) : (
        <Money amount={balance_due} currency={currency} />
      ),
  },
]

const NewDocument = ({ org }: { org: string }) => {
  const refusal = useScopeRefusal('documents:write')
  const navigate = useNavigate()
  return (
    <Button
      kind="primary"
      shortcut="c"
      disabledReason={refusal}
      onClick={() => void navigate({ to: '/o/$org/documents/new', params: { org } })}
    >
      New document
    </Button>
  )
}

const NoDocuments = ({ filters, org }: { filters: DocumentFilters; org: string }) =>
  isNarrowed(filters) ? (
    <div role="status">
      <Empty
        title="No documents match"
        actions={
          <Link
            to="/o/$org/documents"
            params={{ org }}
            search={filters.view === undefined ? {} : { view: filters.view }}
            className={buttonClass()}
          >
            Clear filters
          </Link>
        }
      >
        Every filter has to hold. The search reads numbers, references, names and the texts of
        lines.
      </Empty>
    </div>
  ) : (
    <Empty title="Nothing here" actions={<NewDocument org={org} />}>
      {viewTextOf(filters).empty}
      <Command>{curlOf({ url: '/v1/documents' })}</Command>
    </Empty>
  )
