/**
 * What has the focus may go, such as the button that opened the dialog in which a document was issued.
 * The focus would fall to the page as a whole, which no screen reader announces.
 */
/** As long as a dialog that closes takes to give the focus back. */
const returnMs = 100

let holder: Partial<Element> | null = null

const isLost = () => holder?.isConnected === false && document.activeElement === document.body

/** The open dialog, which comes after the page, or else its heading takes the focus. */
const recover = () => {
  if (!isLost()) return
  holder = null
  const places = document.querySelectorAll<HTMLElement>('main h1, [role=dialog]')
  ;[...places].at(-1)?.focus({ preventScroll: true })
}

export const watchFocus = (): void => {
  addEventListener('focusin', ({ target }) => (holder = target as Partial<Element>))
  const observer = new MutationObserver(() => isLost() && setTimeout(recover, returnMs))
  observer.observe(document.body, { childList: true, subtree: true })
}
