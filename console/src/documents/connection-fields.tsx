/** Whom a draft goes to. Of more connections than are read, the others are found by their name. */
import { useDeferredValue, useState } from 'react'
import { useConnected } from '../api/parties.ts'
import { useRead } from '../api/reads.ts'
import type { Connection, DocumentRecord, SearchResults } from '../api/types.ts'
import { TextField } from '../design/field.tsx'
import { SelectField } from '../design/select-field.tsx'
import { partyOf } from './document-names.ts'

type Options = readonly (readonly [id: string, name: string])[]

interface Choice {
  options: Options
  /** What is searched for; undefined where all are listed. */
  search: { name: string; setName: (name: string) => void } | undefined
}

/** A draft keeps its party, also when their connection has ended since. */
export const useConnectionChoice = (
  document: DocumentRecord | undefined,
  chosen: string,
): Choice => {
  const [name, setName] = useState('')
  const isNew = document === undefined
  const { data } = useConnected({ isEnabled: isNew })
  const listed: Options = (data?.parties ?? []).map((party) => [party.id, party.name])
  const { found, isSearched } = useFound(name)
  const shown = found ?? (isSearched ? [] : listed)
  const isShown = chosen === '' || shown.some(([id]) => id === chosen)
  const known = listed.find(([id]) => id === chosen)?.[1]
  const isAsked = isNew && data !== undefined && chosen !== '' && known === undefined
  const own = useRead<Connection>(`/v1/connections/${chosen}`, {}, { isEnabled: isAsked }).data
  if (document !== undefined)
    return { options: [[document.connection_id, partyOf(document)]], search: undefined }
  const first: Options = isShown ? [] : [[chosen, known ?? own?.counterparty?.name ?? '…']]
  return {
    options: [...first, ...shown],
    search: data?.isCut === true ? { name, setName } : undefined,
  }
}

/** Undefined while nothing is searched for, or nothing is known yet. */
const useFound = (name: string): { found: Options | undefined; isSearched: boolean } => {
  const q = useDeferredValue(name.trim())
  const isSearched = q.length > 1
  const query = { q, type: 'connection', limit: 20 }
  const { data } = useRead<SearchResults>('/v1/search', query, { isEnabled: isSearched })
  const found = isSearched ? data?.data.map(({ id, title }) => [id, title] as const) : undefined
  return { found, isSearched }
}

interface ConnectionFieldsProps extends Choice {
  value: string
  isDisabled: boolean
  onChange: (id: string) => void
}

export const ConnectionFields = (props: ConnectionFieldsProps) => {
  const { options, search, value, isDisabled, onChange } = props
  return (
    <>
      {search && (
        <TextField
          label="Find a connection"
          type="search"
          hint="There are more than the newest 1,000, which are listed."
          value={search.name}
          onChange={({ target }) => search.setName(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <SelectField
        label="Connection"
        param="/connection_id"
        options={options}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  )
}
