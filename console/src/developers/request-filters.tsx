/** Filters of the request log: by status, error, key, path and day. */
import { type FormEvent, useId, useState } from 'react'
import { errorCodes } from '../../../src/contract/error-codes.ts'
import { useRead } from '../api/reads.ts'
import type { Key, Page } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Choice } from '../design/list-page.tsx'
import { useTypedText } from '../design/typed-text.ts'
import { statusClasses, statusWords } from './status-classes.ts'

const statuses = ['200', '201', '400', '401', '403', '404', '409', '429', '500', '503']

const statusOptions = [
  [statusClasses['4xx'], statusWords['4xx']],
  [statusClasses['5xx'], statusWords['5xx']],
  ...statuses.map((status) => [status, status] as const),
] as const

type RequestFilters = { [name in Filter]?: string | undefined }

/** Used less, and on a narrow screen shown when they are asked for. */
const rare = ['error_code', 'replayed', 'key', 'since', 'until'] as const

type Filter = 'status' | 'error_code' | 'replayed' | 'key' | 'path' | 'since' | 'until'

interface FilterFieldsProps {
  filters: RequestFilters
  narrow: (more: RequestFilters) => void
}

export const FilterFields = (props: FilterFieldsProps) => {
  const { filters, narrow } = props
  // On a narrow screen, the list would otherwise begin below the fold.
  const [isOpen, setIsOpen] = useState(rare.some((name) => filters[name] !== undefined))
  const rareId = useId()
  return (
    <>
      <div className={inOneColumn}>
        <Choice
          label="Status"
          value={filters.status}
          options={statusOptions}
          onChoose={(status) => narrow({ status })}
        />
        <PathField value={filters.path} onChoose={(path) => narrow({ path })} />
      </div>
      <Button
        icon="settings"
        kind={isOpen ? 'plain' : 'quiet'}
        className="sm:hidden"
        aria-expanded={isOpen}
        aria-controls={rareId}
        onClick={() => setIsOpen(!isOpen)}
      >
        More filters
      </Button>
      <div id={rareId} className={isOpen ? inOneColumn : 'contents max-sm:hidden'}>
        <RareFields {...props} />
      </div>
    </>
  )
}

const RareFields = ({ filters, narrow }: FilterFieldsProps) => {
  const keys = useRead<Page<Key>>('/v1/keys', { limit: 100 })
  const known = namedApart(keys.data?.data ?? [])
  const isKnown = filters.key === undefined || known.some(([id]) => id === filters.key)
  return (
    <>
      <Choice
        label="Error"
        value={filters.error_code}
        options={errorCodes.map((code) => [code, code] as const)}
        onChoose={(error_code) => narrow({ error_code })}
      />
      <Choice
        label="Replays"
        value={filters.replayed}
        options={[
          ['true', 'Only replays'],
          ['false', 'Without replays'],
        ]}
        onChoose={(replayed) => narrow({ replayed })}
      />
      <Choice
        label="Key"
        value={filters.key}
        // The address may name one that is not among the newest 100.
        options={isKnown ? known : [...known, [filters.key!, filters.key!]]}
        onChoose={(key) => narrow({ key })}
      />
      {(['since', 'until'] as const).map((bound) => (
        <label key={bound} className="flex items-center gap-2 text-sm text-muted">
          {bound === 'since' ? 'Since (UTC)' : 'Until (UTC)'}
          <input
            type="date"
            value={filters[bound] ?? ''}
            data-chosen={filters[bound] === undefined ? undefined : true}
            onChange={({ target }) => narrow({ [bound]: target.value || undefined })}
            className={field}
          />
        </label>
      ))}
    </>
  )
}

/** Keys of one name, as those before and after a rotation, are told apart by their prefixes. */
const namedApart = (keys: readonly Key[]) =>
  keys.map(({ id, name, prefix }) => {
    const isOnly = keys.every((other) => other.id === id || other.name !== name)
    return [id, isOnly ? name : `${name} (${prefix}…)`] as const
  })

/** On a narrow screen, the fields stand below each other, with their labels beside them. */
const inOneColumn =
  'contents max-sm:grid max-sm:w-full max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-2 max-sm:[&>*]:contents'

const field =
  'h-8 min-w-0 rounded-md border border-edge bg-raised px-2.5 text-base data-chosen:border-accent data-chosen:bg-accent-tint data-chosen:text-accent max-md:h-10'

interface PathFieldProps {
  value: string | undefined
  onChoose: (path: string | undefined) => void
}

/** Applied with Enter, or when it is left: half a path matches nothing. */
const PathField = ({ value = '', onChoose }: PathFieldProps) => {
  const id = useId()
  const { text, setText, markSent } = useTypedText(value)
  const apply = () => {
    const path = text.trim()
    if (path === value) return
    markSent(path)
    onChoose(path || undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply()
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <label htmlFor={id} className="text-sm text-muted">
        Path
      </label>
      <input
        id={id}
        value={text}
        placeholder="/v1/documents/*"
        data-chosen={value === '' ? undefined : true}
        onChange={({ target }) => setText(target.value)}
        onBlur={apply}
        className={`${field} sm:w-48`}
      />
    </form>
  )
}
