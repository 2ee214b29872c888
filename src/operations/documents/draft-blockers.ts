/**
 * The blockers of drafts as readers see them (contract 12). The connections of drafts are looked up
 * together with those of other readers, and a page of any length takes one statement for the
 * documents to which its drafts refer.
 */
import type { Call } from '../../context.ts'
import type { IssueBlocker } from '../../contract/errors.ts'
import { type IssuableDraft, issueBlockers } from '../../changes/documents/issue-obstacles.ts'
import { sourcesAmong } from '../../changes/documents/source-allocations.ts'
import { type DocumentContent, hasReferences, lazyContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { LoadedDocument } from '../../store/documents/documents.ts'
import { sourcesById } from '../../store/documents/issue-facts.ts'

const noBlockers: ReadonlyMap<string, readonly IssueBlocker[]> = new Map()

/** The blockers of the drafts among the documents, by id; `today` is by the issuer's clock. */
export const blockersOf = async (
  { context, read }: Pick<Call, 'context' | 'read'>,
  documents: readonly LoadedDocument[],
  today: string,
): Promise<ReadonlyMap<string, readonly IssueBlocker[]>> => {
  const drafts = documents.flatMap(judgedDraft)
  if (drafts.length === 0) return noBlockers
  const connectionIds = new Set(drafts.map(({ connection }) => connection))
  const sourceIds = new Set(
    drafts.flatMap(({ references }) =>
      references.map(({ document_id }) => decodeId('doc', document_id)!),
    ),
  )
  const [connections, sources] = await Promise.all([
    Promise.all([...connectionIds].map((id) => context.connectionById(id))),
    sourceIds.size === 0 ? [] : sourcesById(read, [...sourceIds]),
  ])
  const statuses = new Map(connections.map(({ id, status }) => [id, status]))
  const sourcesByUuid = new Map(sources.map((source) => [source.id, source]))
  return new Map(
    drafts.map(({ id, connection, columns, contentOf, references }) => [
      id,
      issueBlockers({
        draft: columns,
        get content() {
          return contentOf()
        },
        connectionStatus: statuses.get(connection)!,
        sources: sourcesAmong(columns, references, (source) => sourcesByUuid.get(source)),
        today,
      }),
    ]),
  )
}

interface JudgedDraft {
  id: string
  connection: string
  columns: IssuableDraft
  contentOf: () => DocumentContent
  references: DocumentContent['references']
}

const judgedDraft = (document: LoadedDocument): JudgedDraft[] => {
  const { draft, content, id, connection_id: connection } = document
  if (draft === undefined) return []
  const { type, issuer_id, total, valid_until, is_frozen } = document
  const columns = { type, issuer_id, total, valid_until, is_frozen, ...draft }
  const contentOf = lazyContent(content)
  const references = hasReferences(content) ? contentOf().references : []
  return [{ id, connection, columns, contentOf, references }]
}
