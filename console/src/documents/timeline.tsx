/** What has happened to a document, as its verified history tells it. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentHistory, DocumentRecord } from '../api/types.ts'
import { Time, wordsOf } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { partyOf } from './document-names.ts'
import { type Step, stepText } from './step-text.ts'

const route = getRouteApi('/o/$org/documents/$document')

export const Timeline = ({ document }: { document: DocumentRecord }) => {
  const { scopes, organization } = useSession()
  const { org } = route.useParams()
  const mayRead = scopes.includes('provenance:read')
  const read = useRead<DocumentHistory>(
    `/v1/documents/${document.id}/history`,
    {},
    { isEnabled: mayRead },
  )
  if (!mayRead) return null
  const actorOf = (entry: Step): string => {
    if (entry.sealed) return partyOf(document)
    if (entry.actor?.kind === 'system') return 'The service'
    if (entry.actor?.organization_id !== organization.id) return partyOf(document)
    return entry.actor?.key_prefix === undefined
      ? 'A person of yours'
      : `Key ${entry.actor.key_prefix}…`
  }
  return (
    <Panel
      title="History"
      aside={
        <Link
          to="/o/$org/documents/$document/provenance"
          params={{ org, document: document.id }}
          className="text-sm text-accent"
        >
          Proof
        </Link>
      }
    >
      <div className="px-4 py-3">
        <Region read={read}>
          {(history) => (
            <>
              <ol className="relative grid gap-4 border-l border-line pl-5 wrap-anywhere">
                {history.entries.toReversed().map((entry) => (
                  <li key={entry.seq} className="relative">
                    <span
                      aria-hidden="true"
                      className="absolute top-1.5 -left-[1.5625rem] size-2.5 rounded-full border-2 border-paper bg-faint"
                    />
                    <p className="font-medium">{stepText(entry)}</p>
                    <p className="text-sm text-muted">
                      <bdi>{actorOf(entry)}</bdi> · <Time at={entry.at} />
                    </p>
                  </li>
                ))}
              </ol>
              <p className="mt-4 border-t border-line pt-3 text-sm text-muted">
                History intact – {history.verification.events} entries, checked by the service on
                this read.
              </p>
            </>
          )}
        </Region>
      </div>
    </Panel>
  )
}
