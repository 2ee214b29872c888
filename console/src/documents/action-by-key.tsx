/** What a key does with a document of a list: its dialog, or why it is not possible. */
import type { Session } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import RequestedAction, { type Decision } from './requested-action.tsx'
import { issueRefusal, movesOf, payRefusal, writeRefusal } from './moves.ts'
import { isPayable } from './payable.ts'

interface ActionByKeyProps {
  document: string
  letter: string
  onClose: () => void
}

const ActionByKey = ({ document, letter, onClose }: ActionByKeyProps) => (
  <RequestedAction id={document} title="Document" decide={decisionOf(letter)} onClose={onClose} />
)

export default ActionByKey

const decisionOf =
  (key: string) =>
  (document: DocumentRecord, session: Session): Decision => {
    const roleRefusal = writeRefusal(session)
    if (key === 'i') {
      const isDraft = document.status === 'draft'
      const refusal = isDraft ? issueRefusal(document) : 'Only a draft is issued.'
      return { action: 'issue', refusal: roleRefusal ?? refusal }
    }
    if (key === 'p') {
      const isOurs = isPayable(document) && document.status !== 'draft'
      const refusal = isOurs ? payRefusal(document, session) : 'You have nothing to pay on it.'
      return { action: 'pay', refusal }
    }
    const found = movesOf(document).find((one) => one.key === key)
    if (found === undefined) return { action: null, refusal: 'Its kind does not have this move.' }
    return { action: found, refusal: found.refusal ?? roleRefusal }
  }
