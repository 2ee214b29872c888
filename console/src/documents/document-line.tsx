/** A document as one entry of a short list: whom it is with, its amount, its number, and its state. */
import { Link } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'
import type { DocumentRecord } from '../api/types.ts'
import { Money } from '../design/format.tsx'
import { partyOf } from './document-names.ts'
import type { DocumentFilters } from './filters.ts'

interface DocumentLineProps {
  document: DocumentRecord
  org: string
  /** Of the list that the page of the document then knows. */
  filters: DocumentFilters
  /** The document that is open. */
  isCurrent?: boolean
  ref?: Ref<HTMLAnchorElement> | undefined
  /** What the list is about: a state, or when it is due. */
  children: ReactNode
}

export const DocumentLine = (props: DocumentLineProps) => {
  const { document, org, filters, isCurrent = false, ref, children } = props
  return (
    <Link
      ref={ref}
      data-document={document.id}
      aria-current={isCurrent ? 'page' : undefined}
      to="/o/$org/documents/$document"
      params={{ org, document: document.id }}
      search={filters}
      className="grid scroll-my-2 grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2.5 hover:bg-hover aria-[current]:bg-accent-tint aria-[current]:[box-shadow:inset_2px_0_var(--color-accent)]"
    >
      <bdi className="truncate font-medium">{partyOf(document)}</bdi>
      <span className="text-right">
        <Money amount={document.total} currency={document.currency} />
      </span>
      <span className="truncate text-sm text-muted">
        {document.label} {document.number}
      </span>
      <span className="text-right text-sm">{children}</span>
    </Link>
  )
}
