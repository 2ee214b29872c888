/** A secret that is shown once: it is stored, or lost. Nothing but its button closes the dialog. */
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { save } from '../design/download-button.tsx'
import { Command } from '../design/layout.tsx'
import { copyText } from '../design/copy-text.ts'
import { notify } from '../design/notices.tsx'

interface SecretDialogProps {
  title: string
  secret: string
  /** What it is for, and where it belongs. */
  lead: ReactNode
  /** As the line of an .env file that programs read. */
  variable?: string
  /** What tries it out, or says more of it. */
  children?: ReactNode
  /** What one says with the button that closes it. */
  done?: string
  onClose: () => void
}

/** Of a secret that shows who calls. */
export const hashIsKept =
  'It is not shown again: only a hash of it is kept. Put it where your program reads its secrets.'

/** Of a secret that signs what is sent. */
export const signsWithIt =
  'It is not shown again. The service signs each delivery with it: put it where your receiver reads its secrets.'

export const SecretDialog = (props: SecretDialogProps) => {
  const { title, secret, lead, variable, children, done = 'I have stored it', onClose } = props
  const [isCopied, setIsCopied] = useState(false)
  useGuardedPage(true, 'It is not shown again: store it first')
  const copy = () => void copyText(secret, () => setIsCopied(true))
  return (
    <Dialog title={title} lead={lead} onClose={onClose} isGuarded size="large">
      <Command>{secret}</Command>
      {children}
      <DialogActions>
        <Button icon="copy" data-first onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        {variable && (
          <Button
            icon="download"
            onClick={() => save(new Blob([`${variable}=${secret}\n`]), `${variable}.env`)}
          >
            Download .env
          </Button>
        )}
        <Button kind="primary" onClick={onClose}>
          {done}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** While what makes a secret is sent: whoever left by then would never see it. */
export const useSecretUnderWay = (isSent: boolean): void =>
  useGuardedPage(isSent, 'Wait for the answer: it has what is shown only once')

/** Of what is shown only once. Back and other pages wait until it is over; before the tab is closed, the browser asks. */
export const useGuardedPage = (isGuarded: boolean, reason: string): void => {
  useBlocker({
    shouldBlockFn: ({ next }) => {
      if (next.pathname.endsWith('/sign-in')) return false
      notify(reason, { isBad: true })
      return true
    },
    enableBeforeUnload: isGuarded,
    disabled: !isGuarded,
  })
}
