/** The views of the documents that the person has named. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import type { Page, SavedView } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button, IconButton } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'
import { type DocumentFilters, documentFiltersOf, isNarrowed } from './filters.ts'

const route = getRouteApi('/o/$org/documents')

/** Filters as the query of an address, always in the same order. */
const queryTextOf = (filters: DocumentFilters): string =>
  new URLSearchParams(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1))).toString()

const filtersOfText = (query: string): DocumentFilters =>
  documentFiltersOf(Object.fromEntries(new URLSearchParams(query)))

export const SavedViews = ({ filters }: { filters: DocumentFilters }) => {
  const { org } = route.useParams()
  const { data } = useRead<Page<SavedView>>('/v1/saved_views', { limit: 100 })
  const [isSaving, setIsSaving] = useState(false)
  const remove = useWrite<SavedView>(({ body }) => notify(`“${body.name}” is deleted.`))
  const views = (data?.data ?? []).filter(({ list }) => list === 'documents').toReversed()
  const query = queryTextOf(filters)
  const shown = views.find((view) => view.query === query)
  const canSave = isNarrowed(filters) && shown === undefined
  if (views.length === 0 && !canSave) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {views.length > 0 && (
        <ul aria-label="Saved views" className="flex flex-wrap items-center gap-2">
          {views.map((view) => (
            <li key={view.id} className="flex items-center">
              <Link
                to="/o/$org/documents"
                params={{ org }}
                search={filtersOfText(view.query)}
                aria-current={view === shown ? 'page' : undefined}
                className={`rounded-full border px-3 py-1 text-sm ${view === shown ? 'border-accent bg-accent-tint text-accent' : 'border-edge bg-raised hover:bg-hover'}`}
              >
                {view.name}
              </Link>
              {view === shown && (
                <IconButton
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
      {isSaving && <SaveDialog query={query} onClose={() => setIsSaving(false)} />}
    </div>
  )
}

const SaveDialog = ({ query, onClose }: { query: string; onClose: () => void }) => {
  const [name, setName] = useState('')
  const write = useWrite<SavedView>(({ body }) => {
    notify(`“${body.name}” is saved.`)
    onClose()
  })
  const body = { name, list: 'documents', query }
  return (
    <FormDialog
      title="Save this view"
      lead="The filters as they are now. Only you see it."
      write={write}
      verb="Save view"
      obstacle={name.trim() === '' ? 'Give it a name.' : undefined}
      onSubmit={() => write.mutate({ path: '/v1/saved_views', body })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}
