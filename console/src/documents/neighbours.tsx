/** The next and previous document of the list that one came from. */
import { useNavigate } from '@tanstack/react-router'
import { useList } from '../api/reads.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { type DocumentFilters, documentQueryOf } from './filters.ts'

interface NeighboursProps {
  id: string
  org: string
  filters: DocumentFilters
}

export const Neighbours = ({ id, org, filters }: NeighboursProps) => {
  const navigate = useNavigate()
  const { rows = [] } = useList<DocumentRecord>('/v1/documents', documentQueryOf(filters))
  const at = rows.findIndex((row) => row.id === id)
  const open = (row: DocumentRecord | undefined) => {
    if (row !== undefined)
      void navigate({
        to: '/o/$org/documents/$document',
        params: { org, document: row.id },
        search: filters,
      })
  }
  const next = at === -1 ? undefined : rows[at + 1]
  const previous = at === -1 ? undefined : rows[at - 1]
  useShortcuts({ j: () => open(next), k: () => open(previous) })
  if (at === -1) return null
  return (
    <span data-print="no" className="flex items-center gap-1">
      <span className="tabular">
        {at + 1} of {rows.length}
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
        disabledReason={next ? undefined : 'This is the last one that is loaded.'}
        onClick={() => open(next)}
      >
        Next
      </Button>
    </span>
  )
}
