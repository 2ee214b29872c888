/** Turns the second factor on in three steps: the secret, the first code, the recovery codes. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../api/call.ts'
import {
  type ConfirmedFactor,
  type StartedFactor,
  confirmFactor,
  startFactor,
} from '../api/second-factor.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions, FormDialog } from '../design/dialog.tsx'
import { save } from '../design/download-button.tsx'
import { TextField } from '../design/field.tsx'
import { Command } from '../design/layout.tsx'
import { copyText } from '../design/copy-text.ts'
import { useGuardedPage, useSecretUnderWay } from '../keys/secret-dialog.tsx'
import { QrCode } from './qr-code.tsx'

interface StepProps {
  onClose: () => void
}

const TurnOnDialog = ({ onClose }: StepProps) => {
  const [started, setStarted] = useState<StartedFactor | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />
  if (started === null) return <Begin onStarted={setStarted} onClose={onClose} />
  return <FirstCode started={started} onConfirmed={setCodes} onClose={onClose} />
}

export default TurnOnDialog

const Begin = ({ onStarted, onClose }: StepProps & { onStarted: (to: StartedFactor) => void }) => {
  const [password, setPassword] = useState('')
  const write = useMutation<StartedFactor, ApiError>({
    mutationFn: () => startFactor(password),
    onSuccess: onStarted,
  })
  return (
    <FormDialog
      title="Turn the second factor on"
      lead="You need an authenticator app on your phone."
      write={write}
      verb="Go on"
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Password"
        param="/password"
        type="password"
        autoComplete="current-password"
        hint="Not needed within 15 minutes after you signed in."
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
    </FormDialog>
  )
}

interface FirstCodeProps extends StepProps {
  started: StartedFactor
  onConfirmed: (codes: string[]) => void
}

const FirstCode = ({ started, onConfirmed, onClose }: FirstCodeProps) => {
  const [code, setCode] = useState('')
  const write = useMutation<ConfirmedFactor, ApiError>({
    mutationFn: () => confirmFactor(code),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
  })
  useSecretUnderWay(write.isPending)
  return (
    <FormDialog
      title="Add it to your authenticator app"
      lead="Scan the code with the app, open the link on your phone, or type in the secret."
      write={write}
      verb="Turn on"
      obstacle={code === '' ? 'Enter the code that the app shows.' : undefined}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <QrCode text={started.otpauth_url} label="QR code of the secret" />
      <p>
        <a className="underline" href={started.otpauth_url}>
          Open in an app on this device
        </a>
      </p>
      <SecretToType secret={started.secret} />
      <TextField
        label="Code from the app"
        param="/code"
        autoComplete="one-time-code"
        inputMode="numeric"
        hint="Six digits, which change every 30 seconds."
        value={code}
        onChange={({ target }) => setCode(target.value)}
      />
    </FormDialog>
  )
}

/** In groups of four, as a person reads it off; it is copied without the spaces. */
const SecretToType = ({ secret }: { secret: string }) => {
  const copy = () => void copyText(secret, 'Copied the secret')
  return (
    <div className="flex items-center gap-3 rounded-md border border-line bg-canvas py-2 pr-2 pl-3">
      <code className="min-w-0 flex-1 font-mono text-sm">{secret.match(/.{1,4}/g)?.join(' ')}</code>
      <Button icon="copy" aria-label="Copy the secret" onClick={copy}>
        Copy
      </Button>
    </div>
  )
}

const RecoveryCodes = ({ codes, onClose }: StepProps & { codes: string[] }) => {
  const text = `${codes.join('\n')}\n`
  const [isCopied, setIsCopied] = useState(false)
  useGuardedPage(true, 'They are not shown again: store them first')
  const copy = () => void copyText(text, () => setIsCopied(true))
  const download = () =>
    save(new Blob([text], { type: 'text/plain' }), 'document-exchange-recovery-codes.txt')
  return (
    <Dialog
      title="Keep your recovery codes"
      lead="The second factor is on. Each of these codes signs in once if you lose your phone. They are not shown again."
      onClose={onClose}
      isGuarded
    >
      <Command>{codes.join('\n')}</Command>
      <DialogActions>
        <Button icon="copy" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button icon="download" data-first onClick={download}>
          Download
        </Button>
        <Button kind="primary" onClick={onClose}>
          I have stored them
        </Button>
      </DialogActions>
    </Dialog>
  )
}
