/** Asks before a form with changes is left. Who is signed out leaves it at once. */
import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '../design/lazy-part.tsx'

const loadDialog = () => import('./leave-dialog.tsx')
const LeaveDialog = lazyPart(loadDialog)

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
  const hasChanges = isChanged()
  // It asks offline too. What fails here is tried again when it is shown, and until then one stays.
  useEffect(() => {
    if (hasChanges) loadDialog().catch(() => undefined)
  }, [hasChanges])
  if (blocker.status !== 'blocked') return null
  return <LeaveDialog isKept={isKept()} onLeave={blocker.proceed} onClose={blocker.reset} />
}
