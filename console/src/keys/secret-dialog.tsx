/** A secret that is shown once: it is copied, or lost. */
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { Command } from '../design/layout.tsx'

interface SecretDialogProps {
  title: string
  secret: string
  /** What tries it out. */
  command?: string
  onClose: () => void
}

export const SecretDialog = ({ title, secret, command, onClose }: SecretDialogProps) => {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))
  return (
    <Dialog
      title={title}
      lead="It is not shown again: only a hash of it is kept. Put it where your program reads its secrets."
      onClose={onClose}
      size="large"
    >
      <Command>{secret}</Command>
      {command && (
        <>
          <p className="mt-4 text-muted">Try it:</p>
          <Command>{command}</Command>
        </>
      )}
      <DialogActions>
        <Button icon="copy" data-first onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
