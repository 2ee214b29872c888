/** Whom the organization is connected to, by name; also when they are more than one page. */
import { useQuery } from '@tanstack/react-query'
import { type ApiError, call } from './call.ts'
import { readKey, useRead } from './reads.ts'
import { useSession } from './session.ts'
import type { Connection, Page } from './types.ts'

export interface Party {
  /** Of the connection. */
  id: string
  name: string
  isActive: boolean
}

const path = '/v1/connections'
const fields = 'id,status,counterparty.name'
/** Of 100 connections each, newest first; a name beyond them is read by its id. */
const pagesMost = 10

const readParties = async (signal: AbortSignal): Promise<Party[]> => {
  const parties: Party[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMost; pages += 1) {
    const query = { limit: 100, fields, cursor }
    const page = await call<Page<Connection>>('GET', path, { query, signal })
    // Who is invited by e-mail has no name here yet.
    for (const { id, status, counterparty } of page.data)
      if (counterparty !== null)
        parties.push({ id, name: counterparty.name, isActive: status === 'active' })
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  return parties
}

export const useParties = ({ isEnabled = true } = {}) => {
  const { organization } = useSession()
  return useQuery<Party[], ApiError>({
    queryKey: [...readKey(organization.id, path, { limit: 100, fields }), 'all'],
    queryFn: ({ signal }) => readParties(signal),
    enabled: isEnabled,
  })
}

/** Of one connection; undefined while it is read. */
export const usePartyName = (id: string): string | undefined => {
  const parties = useParties()
  const known = parties.data?.find((party) => party.id === id)?.name
  const isMissing = known === undefined && !parties.isPending
  const own = useRead<Connection>(`${path}/${id}`, {}, { isEnabled: isMissing })
  if (known !== undefined || !isMissing || own.isPending) return known
  return own.data?.counterparty?.name ?? id
}
