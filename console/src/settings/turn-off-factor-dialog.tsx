/** Turns the codes of the app off, by a code, a passkey or the password. */
import { useMutation } from '@tanstack/react-query'
import type { ApiError } from '../api/call.ts'
import { type FactorState, removeFactor } from '../api/second-factor.ts'
import { FormDialog } from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'
import { useProof } from './proof-fields.tsx'

const TurnOffDialog = ({ onClose }: { onClose: () => void }) => {
  const { fields, proof, obstacle } = useProof('totp')
  const write = useMutation<FactorState, ApiError>({
    mutationFn: async () => removeFactor(await proof()),
    onSuccess: () => {
      notify('The second factor is off.')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Turn the second factor off"
      lead="Without a passkey, the password signs in alone then. The recovery codes end."
      write={write}
      verb="Turn off"
      isDanger
      obstacle={obstacle}
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  )
}

export default TurnOffDialog
