/** Whom a draft goes to. Of more connections than are listed, the others are found by their name. */
import { useDeferredValue, useState } from 'react'
import { foldedText } from '../../../src/core/folded-text.ts'
import { useConnected } from '../api/parties.ts'
import { useRead } from '../api/reads.ts'
import type { Connection, DocumentRecord } from '../api/types.ts'
import { TextField } from '../design/field.tsx'
import type { Options } from '../design/select.tsx'
import { SelectField } from '../design/select-field.tsx'
import { partyOf } from './document-names.ts'

interface Choice {
  options: Options
  /** What is searched for, and what has been found; undefined where all are listed. */
  search: { name: string; setName: (name: string) => void; outcome: string } | undefined
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
  const { found, outcome } = useFound(name)
  const shown = found ?? listed
  const known = listed.find(([id]) => id === chosen)?.[1]
  const isAsked = isNew && data !== undefined && chosen !== '' && known === undefined
  const own = useRead<Connection>(`/v1/connections/${chosen}`, {}, { isEnabled: isAsked })
  if (document !== undefined)
    return { options: [[document.connection_id, partyOf(document)]], search: undefined }
  const search = data?.isCut === true ? { name, setName, outcome } : undefined
  // Among so many, nobody is meant before somebody is chosen.
  if (chosen === '')
    return { options: search === undefined ? shown : [['', 'Choose one…'], ...shown], search }
  const isShown = shown.some(([id]) => id === chosen)
  const ownName = own.data?.counterparty?.name ?? (own.error === null ? '…' : chosen)
  return { options: isShown ? shown : [[chosen, known ?? ownName], ...shown], search }
}

/** As many as one looks through. */
const optionsMost = 100

/** The service searches the newest connections only, so they are read to the end of the list. */
const useFound = (name: string): { found: Options | undefined; outcome: string } => {
  const sought = foldedText(useDeferredValue(name.trim()))
  const isSearched = sought.length > 1
  const { data, error } = useConnected({ isEnabled: isSearched, isWhole: true })
  if (!isSearched)
    return { found: undefined, outcome: 'There are more than the newest 1,000, which are listed.' }
  if (data === undefined)
    return { found: undefined, outcome: error === null ? 'Searching…' : error.explanation }
  const all = data.parties.filter((party) => foldedText(party.name).includes(sought))
  const found: Options = all.slice(0, optionsMost).map((party) => [party.id, party.name])
  const more = all.length > optionsMost ? `, of which the newest ${optionsMost} are listed` : ''
  return { found, outcome: `${all.length.toLocaleString('en')} found${more}.` }
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
          hint={<span role="status">{search.outcome}</span>}
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
