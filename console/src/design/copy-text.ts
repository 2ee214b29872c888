/** Copies a text, which browsers let pages do over https and on the own machine only. */
import { notify } from './notices.tsx'

export const copyText = async (
  text: string,
  done: string | (() => void) = 'Copied',
): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    notify('The browser does not let this page copy. Select the text instead.', { isBad: true })
    return
  }
  if (typeof done === 'string') notify(done)
  else done()
}
