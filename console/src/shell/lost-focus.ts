/**
 * What has the focus may go, such as the button that opened the dialog in which a document was issued.
 * The focus would fall to the page as a whole, which no screen reader announces.
 */
import { useEffect } from 'react'

/** As long as a dialog that closes takes to give the focus back. */
const returnMs = 100

/** The open dialog, or else the heading of the page, takes the focus from what is there no more. */
export const useLostFocus = (): void =>
  useEffect(() => {
    let holder: EventTarget | null = null
    const keepHolder = ({ target }: Event) => void (holder = target)
    const isLost = () =>
      holder instanceof Element && !holder.isConnected && document.activeElement === document.body
    const recover = () => {
      if (!isLost()) return
      holder = null
      const place = document.querySelector<HTMLElement>('[role="dialog"]') ?? heading()
      place?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => isLost() && setTimeout(recover, returnMs))
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', keepHolder)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', keepHolder)
    }
  }, [])

const heading = () => document.querySelector<HTMLElement>('main h1')
