/** Where the signed-in person is signed in, and what ends it. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useList, useRefresh } from '../api/reads.ts'
import { type SignedInSession, sessionsPath } from '../api/sessions.ts'
import { Button } from '../design/button.tsx'
import { Ago, Time } from '../design/format.tsx'
import { Page, Panel } from '../design/layout.tsx'
import { List } from '../design/list-page.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { deviceName } from './device-name.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const EndSessionDialog = lazyPart(() => import('./end-session-dialog.tsx'))
const CliTokenDialog = lazyPart(() => import('./cli-token-dialog.tsx'))
const route = getRouteApi('/o/$org/sessions')

const SessionsPage = () => {
  const { org } = route.useParams()
  const refresh = useRefresh()
  const { rows } = useList<SignedInSession>(sessionsPath, { limit: 50 })
  const [opened, setOpened] = useState<SignedInSession | 'others' | 'new' | null>(null)
  const isAlone = rows?.every((one) => one.is_current) === true
  const close = () => {
    setOpened(null)
    void refresh()
  }
  return (
    <Page
      title="Sessions"
      lead="Where you are signed in, across all of your organizations. A session that you end stops at once."
      back={
        <Link to="/o/$org/settings" params={{ org }} className="hover:text-ink">
          Settings
        </Link>
      }
      actions={
        <>
          <Button icon="plus" onClick={() => setOpened('new')}>
            New CLI token
          </Button>
          <Button
            disabledReason={isAlone ? 'You are signed in only here.' : undefined}
            onClick={() => setOpened('others')}
          >
            End all others…
          </Button>
        </>
      }
    >
      <Panel className="overflow-hidden">
        <List<SignedInSession>
          caption="Your sessions, newest first"
          path={sessionsPath}
          columns={columnsOf(setOpened)}
          rowKey={({ id }) => id}
          empty={{ title: 'No sessions', text: 'Each sign-in appears here until it ends.' }}
        />
      </Panel>
      {opened === 'new' && <CliTokenDialog onClose={close} />}
      {opened !== null && opened !== 'new' && <EndSessionDialog ended={opened} onClose={close} />}
    </Page>
  )
}

export default SessionsPage

const columnsOf = (onEnd: (session: SignedInSession) => void): Column<SignedInSession>[] => [
  {
    title: 'Device',
    cell: (session) => (
      <>
        <span className="font-medium break-words">{deviceName(session)}</span>
        <bdi className="block text-sm text-muted">{session.organization.name}</bdi>
        {session.address !== null && (
          <span className="block text-sm break-words text-muted">from {session.address}</span>
        )}
        <span className="block text-sm text-muted roomy:hidden">
          signed in <Time at={session.created_at} />
          {session.refreshed_at !== null && (
            <>
              , used <Ago at={session.refreshed_at} />
            </>
          )}
        </span>
      </>
    ),
  },
  {
    title: 'Last used',
    isWide: true,
    cell: ({ refreshed_at }) => <Ago at={refreshed_at} absent="–" />,
  },
  { title: 'Signed in', isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Ends', isWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Actions',
    align: 'right',
    cell: (session) =>
      session.is_current ? (
        <Status tone="good">This device</Status>
      ) : (
        <Button
          aria-label={`End ${deviceName(session)}, ${session.organization.name}`}
          onClick={() => onEnd(session)}
        >
          End…
        </Button>
      ),
  },
]
