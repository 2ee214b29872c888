/**
 * The blockers of drafts as readers see them (contract 12). A draft is loaded with the status of
 * its connection, and a page of any length takes one statement for the documents to which its
 * drafts refer.
 */
import type { Call } from '../../context.ts'
import type { IssueBlocker } from '../../contract/conflict-reasons.ts'
import { issueBlockersOf } from '../../changes/documents/issue-obstacles.ts'
import { sourcesAmong } from '../../changes/documents/source-allocations.ts'
import { hasReferences, lazyContent, parseContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { type ReferencedRow, sourcesById } from '../../store/documents/issue-facts.ts'

/** Undefined for a document that is no draft. */
export type BlockersOf = (document: LoadedDocument) => readonly IssueBlocker[] | undefined

/** Judges the drafts among these documents; `today` is by the issuer's clock. */
export const draftBlockers = async (
  { read }: Pick<Call, 'read'>,
  documents: readonly LoadedDocument[],
  today: string,
): Promise<BlockersOf> => {
  const sources = await sourcesOfDrafts(read, documents)
  return (draft) => {
    const { connectionStatus, content } = draft
    if (connectionStatus === undefined) return undefined
    const contentOf = lazyContent(content)
    const references = hasReferences(content) ? contentOf().references : []
    return issueBlockersOf({
      draft,
      contentOf,
      connectionStatus,
      today,
      sources: sourcesAmong(draft, references, {
        find: (id) => sources.get(id),
        takenOf: (source) =>
          draft.issuer_id === source.issuer_id
            ? source.issuer_references
            : source.counterparty_references,
      }),
    })
  }
}

const noSources: ReadonlyMap<string, ReferencedRow> = new Map()

const sourcesOfDrafts = async (
  read: Call['read'],
  documents: readonly LoadedDocument[],
): Promise<ReadonlyMap<string, ReferencedRow>> => {
  const ids = documents
    .filter(({ connectionStatus, content }) => connectionStatus && hasReferences(content))
    .flatMap(({ content }) => parseContent(content).references)
    .map(({ document_id }) => decodeId('doc', document_id)!)
  if (ids.length === 0) return noSources
  const rows = await sourcesById(read, [...new Set(ids)])
  return new Map(rows.map((row) => [row.id, row]))
}
