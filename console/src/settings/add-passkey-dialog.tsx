/** Adds a passkey: a name, and then the window of the browser. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { type Passkey, addPasskey } from '../api/passkeys.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'

const AddPasskeyDialog = ({ onClose }: { onClose: () => void }) => {
  const [name, setName] = useState('')
  const write = useMutation<Passkey, ApiError>({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: (passkey) => {
      notify(`${passkey.name} is a passkey of yours now.`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add a passkey"
      lead="Your device keeps it, and asks for your fingerprint, face or PIN. From then on, the password alone signs in no more; if you lose all passkeys and have no app with codes, an operator has to help."
      write={write}
      verb="Go on"
      obstacle={name.trim() === '' ? 'Give it a name first.' : undefined}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name of the passkey"
        hint="By which you know the device, such as My laptop."
        value={name}
        maxLength={100}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  )
}

export default AddPasskeyDialog
