/** Whom the organization is connected to, by name; also when they are more than one page. */
import { useQuery } from '@tanstack/react-query'
import { allRows } from './all-rows.ts'
import type { ApiError } from './call.ts'
import { readKey, useRead } from './reads.ts'
import { useSession } from './session.ts'
import type { Connection } from './types.ts'

export interface Party {
  /** Of the connection. */
  id: string
  name: string
  isActive: boolean
}

const path = '/v1/connections'
export const partyFields = 'id,status,counterparty.name'
/** Newest first; a name beyond those that are read is asked for by its id. */
const readParties = async (signal: AbortSignal): Promise<Party[]> =>
  partiesOf((await allRows<Connection>(path, { fields: partyFields }, { signal })).rows)

/** Who is invited by e-mail has no name here yet. */
export const partiesOf = (connections: readonly Connection[]): Party[] =>
  connections.flatMap(({ id, status, counterparty }) =>
    counterparty === null ? [] : [{ id, name: counterparty.name, isActive: status === 'active' }],
  )

export const useParties = ({ isEnabled = true } = {}) => {
  const { organization } = useSession()
  return useQuery<Party[], ApiError>({
    queryKey: [...readKey(organization.id, path, { limit: 100, fields: partyFields }), 'all'],
    queryFn: ({ signal }) => readParties(signal),
    enabled: isEnabled,
  })
}

/** A search reads them to the end, which is 10,000. */
export const wholePagesMost = 100

const againMs = 3_000

/** So many calls are made once, or until none of them has failed. */
export const readOnce = {
  staleTime: 'static',
  refetchInterval: ({ state }: { state: { data: unknown } }) =>
    state.data === undefined ? againMs : false,
} as const

/** Whom a new document can go to: those that are connected now, as far as one reads, or all. */
export const useConnected = ({ isEnabled = true, isWhole = false } = {}) => {
  const { organization } = useSession()
  const query = { status: 'active', fields: partyFields }
  return useQuery<{ parties: Party[]; isCut: boolean }, ApiError>({
    queryKey: [...readKey(organization.id, path, query), isWhole ? 'whole' : 'all'],
    queryFn: async ({ signal }) => {
      const pagesMost = isWhole ? wholePagesMost : undefined
      const { rows, isCut } = await allRows<Connection>(path, query, { signal, pagesMost })
      return { parties: partiesOf(rows), isCut }
    },
    enabled: isEnabled,
    ...(isWhole && readOnce),
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
