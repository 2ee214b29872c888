/** The list that one came from, beside the document: what is open, what is done, what comes next. */
import { useEffect, useRef } from 'react'
import { useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Refusal } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { DocumentStatusMark } from '../design/status.tsx'
import { DocumentLine } from './document-line.tsx'
import type { DocumentFilters } from './filters.ts'
import { useDocuments } from './list-of-documents.ts'
import { viewTextOf } from './view-texts.ts'

interface ListBesideProps {
  /** Of the document that is open. */
  id: string
  org: string
  filters: DocumentFilters
}

const ListBeside = ({ id, org, filters }: ListBesideProps) => {
  const isSandbox = useSession().organization.mode === 'sandbox'
  const list = useDocuments(filters)
  const open = useRef<HTMLAnchorElement>(null)
  const isListed = list.rows?.some((row) => row.id === id) ?? false
  useEffect(() => {
    // In newer browsers it returns a promise, which is no end of an effect.
    void open.current?.scrollIntoView({ block: 'nearest' })
  }, [id, isListed])
  return (
    <nav
      aria-label={`List: ${viewTextOf(filters).title}`}
      data-print="no"
      className={`sticky overflow-y-auto border-r border-line max-[87.49rem]:hidden ${isSandbox ? 'top-7 h-[calc(100dvh-1.75rem)]' : 'top-0 h-dvh'}`}
    >
      {list.error && list.rows === undefined && (
        <div className="p-4">
          <Refusal error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.rows === undefined && !list.error && <Skeleton className="m-4 h-96" />}
      <ul className="divide-y divide-line">
        {list.rows?.map((document) => (
          <li key={document.id}>
            <DocumentLine
              document={document}
              org={org}
              filters={filters}
              isCurrent={document.id === id}
              ref={document.id === id ? open : undefined}
            >
              <DocumentStatusMark {...document} />
            </DocumentLine>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <p className="border-t border-line p-3 text-center">
          <Button kind="quiet" onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </p>
      )}
    </nav>
  )
}

export default ListBeside
