/** What a reset takes and what it leaves, and a word to type: nothing brings the records back. */
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import type { Clock } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'

const word = 'reset'

const ResetDialog = ({ onClose }: { onClose: () => void }) => {
  const { organization } = useSession()
  const [typed, setTyped] = useState('')
  const write = useWrite<Clock>(() => {
    notify('The sandbox is reset')
    onClose()
  })
  return (
    <FormDialog
      title={`Reset ${organization.name}`}
      lead="This deletes all documents, payments, loans and events of this sandbox and of its demo counterparty. It cannot be undone."
      write={write}
      verb="Reset the sandbox"
      isDanger
      obstacle={typed.trim() === word ? undefined : `Type ${word} first.`}
      onSubmit={() => write.mutate({ path: '/v1/sandbox/reset' })}
      onClose={onClose}
    >
      <ul className="list-disc pl-5 text-muted">
        <li>Payments in progress are cancelled or fail.</li>
        <li>
          Connections end, except the one to the demo counterparty. Those partners can still read
          what was exchanged with them.
        </li>
        <li>
          People, keys with their limits, webhook endpoints and the counts of daily quotas stay.
        </li>
      </ul>
      <TextField
        label={`Type “${word}” to confirm`}
        data-first
        autoComplete="off"
        autoCapitalize="none"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}

export default ResetDialog
