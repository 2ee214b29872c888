/**
 * A part of the console that is loaded once it is first shown. That fails offline, and in a tab that
 * is older than the service: the page stays. What can be closed closes with a notice, and is loaded
 * when it is next opened; what stands in a page says so in its place, and offers to try it again,
 * and then to load the page anew.
 * Keys that are pressed before a dialog is there are for it, and not for the page behind.
 */
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { notify } from './notices.tsx'
import { Skeleton } from './skeleton.tsx'

interface Closable {
  onClose?: () => void
}

/** What a dialog may take over: the text that was typed while it was loaded. */
export interface Awaited {
  typed?: string
}

/** Its height until it is loaded, without which it is nothing, and where it stands. */
interface Place {
  height?: string
  place?: string
  /** It can be closed, and the page beside it keeps its keys. */
  isPane?: boolean
}

export const lazyPart = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { height, place = '', isPane = false }: Place = {},
): ComponentType<Props> => {
  let loaded: ComponentType<Props & Awaited> | undefined
  return (props) => {
    const { onClose }: Closable = props
    const [Shown, setShown] = useState(() => loaded)
    const [attempt, setAttempt] = useState(0)
    const [hasFailed, setHasFailed] = useState(false)
    const isDialog = onClose !== undefined && !isPane
    const typed = useKeysUntil(isDialog && Shown === undefined, onClose)
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
    if (Shown !== undefined) return <Shown {...props} {...(isDialog && { typed })} />
    if (hasFailed && onClose === undefined) {
      const again = () => {
        setHasFailed(false)
        setAttempt(attempt + 1)
      }
      return <NotLoaded place={place} hasTriedAgain={attempt > 0} onRetry={again} />
    }
    return height === undefined ? null : <Skeleton className={`${height} ${place}`} />
  }
}

/** Holds what is typed, and keeps every other key but those of the browser from the page. */
const useKeysUntil = (isAwaited: boolean, onClose: (() => void) | undefined): string => {
  const typed = useRef('')
  useLayoutEffect(() => {
    if (!isAwaited) return
    const hold = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      if (ctrlKey || metaKey || altKey) return
      event.preventDefault()
      event.stopImmediatePropagation()
      if (key === 'Escape') onClose?.()
      else if (key === 'Backspace') typed.current = typed.current.slice(0, -1)
      else if (key.length === 1) typed.current += key
    }
    addEventListener('keydown', hold, { capture: true })
    return () => removeEventListener('keydown', hold, { capture: true })
  }, [isAwaited])
  return typed.current
}

const failure = 'This could not be loaded. Check your connection, and try it again.'

const outdated = 'This could not be loaded. The service may have a newer version of this page.'

interface NotLoadedProps {
  place: string
  hasTriedAgain: boolean
  onRetry: () => void
}

const NotLoaded = ({ place, hasTriedAgain, onRetry }: NotLoadedProps) => {
  const isOutdated = hasTriedAgain && navigator.onLine
  return (
    <div role="alert" data-print="no" className={`rounded-md border border-line p-4 ${place}`}>
      <p className="mb-3 text-pretty">{isOutdated ? outdated : failure}</p>
      <Button icon="refresh" onClick={isOutdated ? () => location.reload() : onRetry}>
        {isOutdated ? 'Reload the page' : 'Try again'}
      </Button>
    </div>
  )
}
