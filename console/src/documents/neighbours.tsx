/** The next and previous document of the list that one came from. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import type { DocumentFilters } from './filters.ts'
import { useDocuments } from './list-of-documents.ts'
import { loadedPagesMost } from './loaded-pages.ts'

interface NeighboursProps {
  id: string
  org: string
  filters: DocumentFilters
}

export const Neighbours = ({ id, org, filters }: NeighboursProps) => {
  const navigate = useNavigate()
  const list = useDocuments(filters)
  const { rows = [], hasNextPage } = list
  const at = rows.findIndex((row) => row.id === id)
  const open = (row: DocumentRecord | undefined) => {
    if (row !== undefined)
      void navigate({
        to: '/o/$org/documents/$document',
        params: { org, document: row.id },
        search: filters,
      })
  }
  const place = usePlace(id, at)
  const hasLeft = at === -1 && place !== -1
  // What followed it has moved up to its place.
  const next = place === -1 ? undefined : rows[hasLeft ? place : place + 1]
  const previous = place === -1 ? undefined : rows[place - 1]
  useShortcuts({ j: () => open(next), k: () => open(previous) })
  const isReadingOn = useNextPage(list, next === undefined && place !== -1)
  if (place === -1) return null
  return (
    <span data-print="no" className="flex items-center gap-1">
      <span className="tabular mr-2">
        {hasLeft ? 'Done' : `${at + 1} of ${rows.length}${hasNextPage ? ' or more' : ''}`}
      </span>
      <Button
        kind="quiet"
        shortcut="k"
        disabledReason={previous ? undefined : 'This is the first one.'}
        onClick={() => open(previous)}
      >
        Previous
      </Button>
      <Button
        kind="quiet"
        shortcut="j"
        disabledReason={
          next
            ? undefined
            : isReadingOn
              ? 'The next ones are being read.'
              : 'This is the last one that is loaded.'
        }
        onClick={() => open(next)}
      >
        Next
      </Button>
    </span>
  )
}

/** Where it stands in the list; where it stood, once it has left: -1 if it was never there. */
const usePlace = (id: string, at: number): number => {
  const last = useRef({ id, place: at })
  if (last.current.id !== id || at !== -1) last.current = { id, place: at }
  return last.current.place
}

/**
 * Whoever goes from one to the next does not stop where a page of the list ends. Pages may have no row
 * that is shown, so there is a last one. Returns whether it reads on.
 */
const useNextPage = (list: ReturnType<typeof useDocuments>, isAtEnd: boolean): boolean => {
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const areMostLoaded = (data?.pages.length ?? 0) >= loadedPagesMost
  const isReadingOn = isAtEnd && hasNextPage && !areMostLoaded && !isFetchNextPageError
  useEffect(() => {
    if (isReadingOn && !isFetching) void fetchNextPage()
  }, [isReadingOn, isFetching, fetchNextPage])
  return isReadingOn
}
