/** Asks before a form with changes is left. Who is signed out leaves it at once. */
import { useBlocker } from '@tanstack/react-router'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'

interface UnsavedGuardProps {
  isChanged: () => boolean
  /** Whether this browser keeps what was entered. */
  isKept: () => boolean
}

export const UnsavedGuard = ({ isChanged, isKept }: UnsavedGuardProps) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isChanged() && !next.pathname.endsWith('/sign-in'),
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog
      title="Leave without saving?"
      lead={
        isKept()
          ? 'It is not sent. This browser keeps what you have entered for a week, until you sign out.'
          : 'What you have entered is kept nowhere else.'
      }
      onClose={blocker.reset}
    >
      <DialogActions>
        <Button data-first onClick={blocker.reset}>
          Go on editing
        </Button>
        <Button kind="danger" onClick={blocker.proceed}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
