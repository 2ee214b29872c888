/**
 * The way from a page back to the list that led to it: the row has the focus again, in sight, and Esc
 * goes where the page's own link back leads.
 */
import { useMatch, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type RefObject, useEffect, useRef } from 'react'
import { useShortcuts } from '../shell/shortcuts.ts'

interface Place {
  pathname: string
  href: string
  /** In the history of this tab. */
  index: number
}

let left: Place = { pathname: '', href: '', index: 0 }
/** What the row to return to leads to; empty once it has the focus, or there is none. */
let wanted = ''
let found: HTMLElement | undefined

const here = (): Place => ({
  pathname: location.pathname,
  href: location.href,
  index: (history.state as { __TSR_index?: number } | null)?.__TSR_index ?? 0,
})

/** So long a row that is still read is waited for. */
const rowsMostMs = 5_000

/** Calls back on each new page, once it is known whether one returns to it. */
export const useArrival = (onArrival: () => void): void => {
  const router = useRouter()
  // The address in the router is another one as soon as the next page is asked for.
  const pathname = useMatch({ strict: false, select: (match) => match.pathname })
  const search = useMatch({ strict: false, select: (match) => JSON.stringify(match.search) })
  useEffect(() => {
    const place = here()
    return () => {
      left = place
    }
  }, [pathname, search])
  useEffect(() => {
    const { pathname: path, index } = here()
    const isReturn = index < left.index || left.pathname.startsWith(`${path}/`)
    wanted = isReturn ? left.pathname : ''
    onArrival()
    // The router scrolls the new page to where it was, or to its top.
    const stopShowing = router.subscribe('onRendered', showFound)
    const stopWaiting = whenRowsCome()
    return () => {
      stopShowing()
      stopWaiting()
    }
  }, [pathname])
}

/** Whoever has gone on meanwhile keeps the focus. */
const whenRowsCome = (): (() => void) => {
  if (wanted === '') return () => {}
  const observer = new MutationObserver(() => {
    if (!document.activeElement?.matches('h1, body') || focusRowOfReturn()) stop()
  })
  const timer = setTimeout(() => stop(), rowsMostMs)
  const stop = () => {
    clearTimeout(timer)
    observer.disconnect()
  }
  observer.observe(document.body, { childList: true, subtree: true })
  return stop
}

/** Whether a row of the page that is shown has led there. */
export const focusRowOfReturn = (): boolean => {
  const links = document.querySelectorAll<HTMLAnchorElement>(
    '#main :is([data-row] a, a[data-document]):not(nav *)',
  )
  const row = wanted === '' ? undefined : [...links].find((link) => link.pathname === wanted)
  row?.focus({ preventScroll: true })
  // What is not visible yet takes no focus.
  if (row === undefined || row !== document.activeElement) return false
  wanted = ''
  found = row
  showFound()
  return true
}

const showFound = (): void => {
  if (found === undefined || found !== document.activeElement) return
  const { top, bottom } = found.getBoundingClientRect()
  if (top < 0 || bottom > innerHeight) found.scrollIntoView({ block: 'center' })
}

/** Of the element with the link back: where one has come from, the browser goes back to it. */
export const useWayBack = (): {
  ref: RefObject<HTMLDivElement | null>
  onClickCapture: (event: MouseEvent) => void
} => {
  const ref = useRef<HTMLDivElement>(null)
  useShortcuts({
    Escape: () => {
      if (document.querySelector('[role="dialog"]') === null)
        ref.current?.querySelector('a')?.click()
    },
  })
  const onClickCapture = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    if (!isPlain || link?.href !== left.href || left.index !== here().index - 1) return
    event.preventDefault()
    history.back()
  }
  return { ref, onClickCapture }
}
