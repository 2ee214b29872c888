/** What a key does with a document of a list: the dialog of that act, or why it is not possible. */
import type { Session } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import AskedAct, { type Decision } from './asked-act.tsx'
import { issueRefusal, movesOf, payRefusal, writeRefusal } from './moves.ts'
import { isPayable } from './payable.ts'

interface ActByKeyProps {
  document: string
  letter: string
  onClose: () => void
}

const ActByKey = ({ document, letter, onClose }: ActByKeyProps) => (
  <AskedAct id={document} title="Document" decide={decisionOf(letter)} onClose={onClose} />
)

export default ActByKey

const decisionOf =
  (key: string) =>
  (document: DocumentRecord, session: Session): Decision => {
    const roleRefusal = writeRefusal(session)
    if (key === 'i') {
      const isDraft = document.status === 'draft'
      const refusal = isDraft ? issueRefusal(document) : 'Only a draft is issued.'
      return { act: 'issue', refusal: roleRefusal ?? refusal }
    }
    if (key === 'p') {
      const isOurs = isPayable(document) && document.status !== 'draft'
      const refusal = isOurs ? payRefusal(document, session) : 'You have nothing to pay on it.'
      return { act: 'pay', refusal }
    }
    const found = movesOf(document).find((one) => one.key === key)
    if (found === undefined) return { act: null, refusal: 'Its kind does not have this move.' }
    return { act: found, refusal: found.refusal ?? roleRefusal }
  }
