/** Asks before a connection is declined or ended. */
import { useState } from 'react'
import type { Connection } from '../api/types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { type Decision, nameOf, useDecision, decisionWords } from './decisions.ts'

interface EndDialogProps {
  connection: Connection
  decision: Decision
  onClose: () => void
}

const EndDialog = ({ connection, decision, onClose }: EndDialogProps) => {
  const { decide, ...write } = useDecision(connection, onClose)
  // An invitation that is accepted meanwhile is no longer one to withdraw.
  const [opened] = useState(connection)
  const { verb, title, lead } = decisionWords(decision, opened)
  const isPossible = connection.status === opened.status || write.isPending
  return (
    <FormDialog
      title={`${title} ${nameOf(connection)}`}
      lead={lead}
      write={write}
      verb={verb}
      isDanger
      obstacle={isPossible ? undefined : `It is ${connection.status} by now.`}
      cancel="Keep it as it is"
      onSubmit={() => decide(decision)}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  )
}

export default EndDialog
