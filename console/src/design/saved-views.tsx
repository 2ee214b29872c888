/** The views of a list that the person has named. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Page, SavedView } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button, IconButton } from './button.tsx'
import { notify } from './notices.tsx'
import { lazyPart } from './lazy-part.tsx'

const SaveViewDialog = lazyPart(() => import('./save-view-dialog.tsx'))

type Filters = Readonly<Record<string, string | undefined>>

/** Filters as the query of an address, always in the same order. */
const queryTextOf = (filters: Filters): string =>
  new URLSearchParams(
    Object.entries(filters)
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, value]),
  ).toString()

const filtersOfText = (query: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(query))

interface SavedViewsProps {
  list: SavedView['list']
  /** The address of the list, whose search takes the filters. */
  to: string
  filters: Filters
  /** Whether there is anything to save. */
  isNarrowed?: boolean
}

export const SavedViews = ({ list, to, filters, isNarrowed }: SavedViewsProps) => {
  const org = useSession().organization.id
  const { data } = useRead<Page<SavedView>>('/v1/saved_views', { limit: 100 })
  const [isSaving, setIsSaving] = useState(false)
  const remove = useWrite<SavedView>(({ body }) => notify(`“${body.name}” is deleted.`))
  const views = (data?.data ?? []).filter((view) => view.list === list).toReversed()
  const query = queryTextOf(filters)
  const shown = views.find((view) => view.query === query)
  const canSave = (isNarrowed ?? query !== '') && shown === undefined
  if (views.length === 0 && !canSave) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {views.length > 0 && (
        <ul aria-label="Saved views" className="flex flex-wrap items-center gap-2">
          {views.map((view) => (
            <li key={view.id} className="flex items-center">
              <Link
                to={to as '/o/$org/documents'}
                params={{ org }}
                search={filtersOfText(view.query)}
                aria-current={view === shown ? 'page' : undefined}
                className={`rounded-full border px-3 py-1 text-sm ${view === shown ? 'border-accent bg-accent-tint text-accent' : 'border-edge bg-raised hover:bg-hover'}`}
              >
                {view.name}
              </Link>
              {view === shown && (
                <IconButton
                  isWrite
                  icon="close"
                  label={`Delete the view ${view.name}`}
                  onClick={() =>
                    remove.mutate({ method: 'DELETE', path: `/v1/saved_views/${view.id}` })
                  }
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {canSave && (
        <Button kind="quiet" icon="plus" onClick={() => setIsSaving(true)}>
          Save this view
        </Button>
      )}
      {isSaving && <SaveViewDialog list={list} query={query} onClose={() => setIsSaving(false)} />}
    </div>
  )
}
