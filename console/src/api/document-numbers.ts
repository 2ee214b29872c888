/** Numbers of documents that other records name by id; those of one list are read in one call. */
import { useQuery } from '@tanstack/react-query'
import { type ApiError, call } from './call.ts'
import { useSession } from './session.ts'
import type { DocumentRecord, Page } from './types.ts'

/** As many ids as a filter takes. */
const idsMost = 50

type Numbers = ReadonlyMap<string, string | null>

/** Of what is asked for at about the same time. */
interface Batch {
  ids: Set<string>
  numbers: Promise<Numbers>
}

let open: Batch | undefined

const numberOf = async (id: string): Promise<string | null> => {
  if (open === undefined || open.ids.size === idsMost) open = newBatch()
  open.ids.add(id)
  return (await open.numbers).get(id) ?? null
}

const newBatch = (): Batch => {
  const ids = new Set<string>()
  const numbers = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    if (open?.ids === ids) open = undefined
    return readNumbers([...ids])
  })
  return { ids, numbers }
}

const readNumbers = async (ids: readonly string[]): Promise<Numbers> => {
  const query = { id: ids.join(','), fields: 'id,number', limit: idsMost }
  const { data } = await call<Page<DocumentRecord>>('GET', '/v1/documents', { query })
  return new Map(data.map(({ id, number }) => [id, number]))
}

/** As the organization knows the document; null if it does not see it, undefined while it is read. */
export const useDocumentNumber = (id: string): string | null | undefined => {
  const { organization } = useSession()
  // A document has one number as long as it exists.
  return useQuery<string | null, ApiError>({
    queryKey: [organization.id, 'document-number', id],
    queryFn: () => numberOf(id),
    staleTime: Infinity,
  }).data
}
