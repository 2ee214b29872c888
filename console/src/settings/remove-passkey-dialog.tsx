/** Removes a passkey, by a passkey, a code or the password. */
import { useMutation } from '@tanstack/react-query'
import type { ApiError } from '../api/call.ts'
import type { Passkey } from '../api/passkeys.ts'
import { removePasskey } from '../api/second-factor.ts'
import { FormDialog } from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'
import { useProof } from './proof-fields.tsx'

interface RemovePasskeyProps {
  passkey: Passkey
  onClose: () => void
}

const RemovePasskeyDialog = ({ passkey, onClose }: RemovePasskeyProps) => {
  const { fields, proof, obstacle } = useProof('passkey')
  const write = useMutation<Passkey, ApiError>({
    mutationFn: async () => removePasskey(passkey, await proof()),
    onSuccess: () => {
      notify(`${passkey.name} is removed.`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Remove ${passkey.name}`}
      lead="It signs in no more. Without any passkey and without an app, the password signs in alone."
      write={write}
      verb="Remove"
      isDanger
      obstacle={obstacle}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  )
}

export default RemovePasskeyDialog
