/** Asks before a session of the person is ended, or all others are. */
import { useMutation } from '@tanstack/react-query'
import type { ApiError } from '../api/call.ts'
import {
  type EndedSessions,
  type SignedInSession,
  endOtherSessions,
  endSessionOf,
} from '../api/sessions.ts'
import { FormDialog } from '../design/dialog.tsx'
import { Time } from '../design/format.tsx'
import { Fact } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { deviceName } from './device-name.ts'

interface EndSessionProps {
  ended: SignedInSession | 'others'
  onClose: () => void
}

const EndSessionDialog = ({ ended, onClose }: EndSessionProps) =>
  ended === 'others' ? (
    <EndOthersDialog onClose={onClose} />
  ) : (
    <EndOneDialog session={ended} onClose={onClose} />
  )

export default EndSessionDialog

const EndOneDialog = ({ session, onClose }: { session: SignedInSession; onClose: () => void }) => {
  const write = useMutation<void, ApiError>({
    mutationFn: () => endSessionOf(session),
    onSuccess: () => {
      notify(`${deviceName(session)} is signed out.`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`End ${deviceName(session)}`}
      lead="It is signed out at once, in every tab."
      write={write}
      verb="End session"
      isDanger
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <dl>
        <Fact term="Organization">{session.organization.name}</Fact>
        <Fact term="From">{session.address ?? 'the service itself'}</Fact>
        <Fact term="Signed in">
          <Time at={session.created_at} />
        </Fact>
      </dl>
    </FormDialog>
  )
}

const EndOthersDialog = ({ onClose }: { onClose: () => void }) => {
  const write = useMutation<EndedSessions, ApiError>({
    mutationFn: endOtherSessions,
    onSuccess: ({ ended, left }) => {
      const signedOut = `${sessionsAre(ended)} signed out`
      if (left === 0) notify(`${signedOut}.`)
      else notify(`${signedOut}; ${sessionsAre(left)} not. Try again.`, { isBad: true })
      onClose()
    },
  })
  return (
    <FormDialog
      title="End all others"
      lead="Every browser and program but this one is signed out at once."
      write={write}
      verb="End them"
      isDanger
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <p className="text-muted">API keys are no sessions, and go on.</p>
    </FormDialog>
  )
}

const sessionsAre = (count: number): string =>
  count === 1 ? '1 session is' : `${count} sessions are`
