/** Before a write of the shell goes to a live organization. */
import { useSession } from '../api/session.ts'
import { FormDialog } from '../design/dialog.tsx'
import { Command } from '../design/layout.tsx'
import { type ShellCall, pathOf } from './operations.ts'

interface ConfirmLiveWriteProps {
  call: ShellCall
  onSend: () => void
  onClose: () => void
}

const ConfirmLiveWrite = ({ call, onSend, onClose }: ConfirmLiveWriteProps) => {
  const { organization } = useSession()
  const { operation, body } = call
  return (
    <FormDialog
      title="Send this to a live organization?"
      lead={`${organization.name} is live: records, the other side and money are real.`}
      verb="Send it"
      isDanger
      write={{ error: null, isPending: false }}
      onSubmit={onSend}
      onClose={onClose}
    >
      <Command>
        {[`${operation.method} ${pathOf(call)}`, ...(operation.body === undefined ? [] : [body])]
          .join('\n')
          .slice(0, 2_000)}
      </Command>
    </FormDialog>
  )
}

export default ConfirmLiveWrite
