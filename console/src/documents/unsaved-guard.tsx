/** Asks before a form with changes is left. Who is signed out leaves it at once. */
import { useBlocker } from '@tanstack/react-router'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'

export const UnsavedGuard = ({ isChanged }: { isChanged: () => boolean }) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isChanged() && !next.pathname.endsWith('/sign-in'),
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog
      title="Leave without saving?"
      lead="What you have entered is kept nowhere else."
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
