/**
 * A part of the console that is loaded once it is first shown. That fails offline, and in a tab that
 * is older than the service: the page stays. What can be closed closes with a notice, and is loaded
 * when it is next opened; what stands in a page says so in its place, and offers to try it again.
 */
import { type ComponentType, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { notify } from './notices.tsx'
import { Skeleton } from './skeleton.tsx'

interface Closable {
  onClose?: () => void
}

/** Its height until it is loaded, without which it is nothing, and where it stands. */
interface Place {
  height?: string
  place?: string
}

export const part = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { height, place = '' }: Place = {},
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | undefined
  return (props) => {
    const { onClose }: Closable = props
    const [Shown, setShown] = useState(() => loaded)
    const [attempt, setAttempt] = useState(0)
    const [hasFailed, setHasFailed] = useState(false)
    useEffect(() => {
      if (Shown !== undefined) return
      let isGone = false
      void load().then(
        (module) => {
          loaded = module.default
          if (!isGone) setShown(() => module.default)
        },
        () => {
          if (isGone) return
          setHasFailed(true)
          if (onClose === undefined) return
          notify(failure, { isBad: true })
          onClose()
        },
      )
      return () => {
        isGone = true
      }
    }, [attempt])
    if (Shown !== undefined) return <Shown {...props} />
    if (hasFailed && onClose === undefined) {
      const again = () => {
        setHasFailed(false)
        setAttempt(attempt + 1)
      }
      return <NotLoaded place={place} onRetry={again} />
    }
    return height === undefined ? null : <Skeleton className={`${height} ${place}`} />
  }
}

const failure = 'This could not be loaded. Check your connection, and try it again.'

const NotLoaded = ({ place, onRetry }: { place: string; onRetry: () => void }) => (
  <div role="alert" data-print="no" className={`rounded-md border border-line p-4 ${place}`}>
    <p className="mb-3 text-pretty">{failure}</p>
    <Button icon="refresh" onClick={onRetry}>
      Try again
    </Button>
  </div>
)
