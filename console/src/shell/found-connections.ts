/**
 * Connections by their name. A search of the service compares the newest ones only, so that the
 * others are read, to the end of the list, once somebody asks for them.
 */
import { useQuery } from '@tanstack/react-query'
import { foldedText } from '../../../src/core/folded-text.ts'
import { allRows } from '../api/all-rows.ts'
import type { ApiError } from '../api/call.ts'
import { type Party, partiesOf, partyFields, readOnce, wholePagesMost } from '../api/parties.ts'
import { readKey } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Connection } from '../api/types.ts'

const path = '/v1/connections'
const shownMost = 8

interface FoundConnections {
  found: Party[]
  /** What is said while they are not there, or none is found. */
  note: string | undefined
}

export const useFoundConnections = (name: string, isAsked: boolean): FoundConnections => {
  const { organization } = useSession()
  const { data, error } = useQuery<Party[], ApiError>({
    queryKey: [...readKey(organization.id, path, { fields: partyFields }), 'whole'],
    queryFn: async ({ signal }) => {
      const reading = { signal, pagesMost: wholePagesMost }
      return partiesOf((await allRows<Connection>(path, { fields: partyFields }, reading)).rows)
    },
    enabled: isAsked,
    ...readOnce,
  })
  if (!isAsked) return { found: [], note: undefined }
  if (data === undefined)
    return { found: [], note: error?.explanation ?? 'All connections are being read…' }
  const sought = foldedText(name)
  const found = data.filter((party) => foldedText(party.name).includes(sought))
  const note = found.length === 0 ? 'No connection has this name.' : undefined
  return { found: found.slice(0, shownMost), note }
}
