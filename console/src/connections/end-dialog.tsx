/** Asks before a connection is declined or ended. */
import type { Connection } from '../api/types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { type Decision, decisions, nameOf, useDecision } from './decisions.ts'

interface EndDialogProps {
  connection: Connection
  decision: Decision
  onClose: () => void
}

const EndDialog = ({ connection, decision, onClose }: EndDialogProps) => {
  const { decide, ...write } = useDecision(connection, onClose)
  const { to, verb, title, lead } = decisions[decision]
  const isPossible = connection.allowed_transitions.includes(to) || write.isPending
  return (
    <FormDialog
      title={`${title} with ${nameOf(connection)}`}
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
