/**
 * What lists say of documents that their records name by id: the number, and whether it can be paid.
 * All of one list are read in one call.
 */
import { useQuery } from '@tanstack/react-query'
import { type ApiError, call } from './call.ts'
import { useSession } from './session.ts'
import type { DocumentRecord, Page } from './types.ts'

/** As many ids as a filter takes. */
const idsMost = 50

type Named = Pick<DocumentRecord, 'number' | 'payable'>
type NamedById = ReadonlyMap<string, Named>

/** Of what is asked for at about the same time. */
interface Batch {
  ids: Set<string>
  documents: Promise<NamedById>
}

let open: Batch | undefined

const namedDocument = async (id: string): Promise<Named | null> => {
  if (open === undefined || open.ids.size === idsMost) open = newBatch()
  open.ids.add(id)
  return (await open.documents).get(id) ?? null
}

const newBatch = (): Batch => {
  const ids = new Set<string>()
  const documents = new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
    if (open?.ids === ids) open = undefined
    return readNamed([...ids])
  })
  return { ids, documents }
}

const readNamed = async (ids: readonly string[]): Promise<NamedById> => {
  const query = { id: ids.join(','), fields: 'id,number,payable', limit: idsMost }
  const { data } = await call<Page<DocumentRecord>>('GET', '/v1/documents', { query })
  return new Map(data.map((document) => [document.id, document]))
}

const useNamed = (id: string): Named | null | undefined => {
  const { organization } = useSession()
  // Whatever changes of a document is followed, and the number never does.
  return useQuery<Named | null, ApiError>({
    queryKey: [organization.id, 'named-document', id],
    queryFn: () => namedDocument(id),
    staleTime: Infinity,
  }).data
}

/** As the organization knows the document; null if it does not see it, undefined while it is read. */
export const useDocumentNumber = (id: string): string | null | undefined => {
  const document = useNamed(id)
  return document && document.number
}

/** False also while it is read. */
export const useIsPayable = (id: string): boolean => useNamed(id)?.payable === true
