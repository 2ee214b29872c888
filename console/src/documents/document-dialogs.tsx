/** The dialogs of a document, one at a time. What one refuses names the moves that are legal instead. */
import { OfferedMoves } from '../design/offered-moves.ts'
import type { DialogsProps } from './document-actions.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const MoveDialog = lazyPart(() => import('./move-dialog.tsx'))
const PayDialog = lazyPart(() => import('./pay-dialog.tsx'))
const IssueDialog = lazyPart(() => import('./issue-dialog.tsx'))
const ConvertDialog = lazyPart(() => import('./convert-dialog.tsx'))
/** Only after a refusal. */
const LegalMoves = lazyPart(() => import('./legal-moves.tsx'))

export const DocumentDialogs = ({ document, opened, onOpen }: DialogsProps) => {
  const close = () => onOpen(null)
  const isMove = opened !== null && typeof opened === 'object'
  const Dialog = isMove && opened.isConversion === true ? ConvertDialog : MoveDialog
  return (
    <OfferedMoves
      value={(refusal) => (
        <LegalMoves document={document} opened={opened} refusal={refusal} onOpen={onOpen} />
      )}
    >
      {opened === 'pay' && <PayDialog document={document} onClose={close} />}
      {opened === 'issue' && <IssueDialog document={document} onClose={close} />}
      {isMove && <Dialog key={opened.to} document={document} move={opened} onClose={close} />}
    </OfferedMoves>
  )
}
