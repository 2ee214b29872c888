/** A secret that is shown once: it is stored, or lost. Nothing but its button closes the dialog. */
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { save } from '../design/download-button.tsx'
import { Command } from '../design/layout.tsx'

interface SecretDialogProps {
  title: string
  secret: string
  /** As the line of an .env file that programs read. */
  variable?: string
  /** What tries it out. */
  children?: ReactNode
  onClose: () => void
}

export const SecretDialog = ({ title, secret, variable, children, onClose }: SecretDialogProps) => {
  const [isCopied, setIsCopied] = useState(false)
  useGuardedPage()
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))
  return (
    <Dialog
      title={title}
      lead="It is not shown again: only a hash of it is kept. Put it where your program reads its secrets."
      onClose={onClose}
      isGuarded
      size="large"
    >
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
          I have stored it
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The browser asks before the page is left. */
const useGuardedPage = (): void => {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])
}
