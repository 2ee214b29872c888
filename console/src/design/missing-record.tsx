/** A record that is not here: it may belong to another organization of the person. */
import { Link, useRouterState } from '@tanstack/react-router'
import type { ApiError } from '../api/call.ts'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'
import { CopyText, Empty, Panel } from './layout.tsx'

const MissingRecord = ({ error }: { error: ApiError }) => {
  const { organization } = useSession()
  const { data } = useRead<{ organizations: Organization[] }>('/auth/session')
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isOfOtherMode = error.code === 'sandbox_isolation'
  const others =
    data?.organizations.filter(
      ({ id, mode }) => id !== organization.id && !(isOfOtherMode && mode === organization.mode),
    ) ?? []
  return (
    <div role="status">
      <Panel>
        <Empty title={`Not found in ${organization.name} (${organization.mode})`}>
          <p>{isOfOtherMode ? otherModeTexts[organization.mode] : error.explanation}</p>
          {others.length > 0 && (
            <>
              <p className="mt-4">It may belong to another organization of yours:</p>
              <ul className="mt-2 grid gap-1">
                {others.map(({ id, name, mode }) => (
                  <li key={id}>
                    <Link
                      to={path.replace(organization.id, id) as '/'}
                      preload={false}
                      className="inline-block min-h-6 text-accent underline"
                    >
                      {name} ({mode})
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          )}
          {error.requestId && (
            <p className="mt-4">
              <CopyText text={error.requestId} label="the request id" />
            </p>
          )}
        </Empty>
      </Panel>
    </div>
  )
}

export default MissingRecord

const otherModeTexts = {
  live: 'This organization is live, and the record belongs to a sandbox.',
  sandbox: 'This organization is a sandbox, and the record is live.',
}
