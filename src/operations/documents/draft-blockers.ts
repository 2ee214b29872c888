/**
 * The blockers of drafts as readers see them (contract 12). A page of any length takes one
 * statement for the connections of its drafts and one for the documents they refer to; a page
 * without drafts takes none.
 */
import { type IssueBlocker } from '../../contract/errors.ts'
import { issueBlockers } from '../../changes/documents/issue-obstacles.ts'
import { sourcesAmong } from '../../changes/documents/source-allocations.ts'
import { parseContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { Queryable } from '../../database/sql.ts'
import type { LoadedDocument } from '../../store/documents/documents.ts'
import { connectionsById, sourcesById } from '../../store/documents/issue-facts.ts'

const noBlockers: ReadonlyMap<string, readonly IssueBlocker[]> = new Map()

/** The blockers of the drafts among the documents, by id; `today` is by the issuer's clock. */
export const blockersOf = async (
  db: Queryable,
  documents: readonly LoadedDocument[],
  today: string,
): Promise<ReadonlyMap<string, readonly IssueBlocker[]>> => {
  const drafts = documents.flatMap(({ draft, ...document }) =>
    draft === undefined ? [] : [{ ...document, ...draft, parsed: parseContent(document.content) }],
  )
  if (drafts.length === 0) return noBlockers
  const connectionIds = new Set(drafts.map(({ connection_id }) => connection_id))
  const sourceIds = new Set(
    drafts.flatMap(({ parsed }) =>
      parsed.references.map(({ document_id }) => decodeId('doc', document_id)!),
    ),
  )
  const [connections, sources] = await Promise.all([
    connectionsById(db, [...connectionIds]),
    sourceIds.size === 0 ? [] : sourcesById(db, [...sourceIds]),
  ])
  const sourcesByUuid = new Map(sources.map((source) => [source.id, source]))
  return new Map(
    drafts.map((draft) => [
      draft.id,
      issueBlockers({
        draft,
        content: draft.parsed,
        connectionStatus: connections.get(draft.connection_id)!.status,
        sources: sourcesAmong(draft, draft.parsed.references, (id) => sourcesByUuid.get(id)),
        today,
      }),
    ]),
  )
}
