/**
 * A part of the console that is loaded once it is first shown. Where that fails, as it does offline,
 * the page stays and a notice says so; it is tried again when it is next opened.
 */
import { type ComponentType, useEffect, useState } from 'react'
import { notify } from './notices.tsx'

interface Closable {
  onClose?: () => void
}

export const part = <Props extends Closable>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | undefined
  return (props) => {
    const [Shown, setShown] = useState(() => loaded)
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
          notify('This could not be loaded. Check your connection, and try it again.', {
            isBad: true,
          })
          props.onClose?.()
        },
      )
      return () => {
        isGone = true
      }
    }, [])
    return Shown === undefined ? null : <Shown {...props} />
  }
}
