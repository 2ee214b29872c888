/** The dialogs of a document, one at a time. What one refuses names the moves that are legal instead. */
import type { ApiError } from '../api/call.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { OfferedMoves } from '../design/offered-moves.ts'
import type { OpenedDialog } from './document-actions.tsx'
import { movesOf, paymentTargets } from './moves.ts'
import { isPayable } from './payable.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const MoveDialog = lazyPart(() => import('./move-dialog.tsx'))
const PayDialog = lazyPart(() => import('./pay-dialog.tsx'))
const IssueDialog = lazyPart(() => import('./issue-dialog.tsx'))

interface DialogsProps {
  document: DocumentRecord
  opened: OpenedDialog
  onOpen: (opened: OpenedDialog) => void
}

export const DocumentDialogs = ({ document, opened, onOpen }: DialogsProps) => {
  const close = () => onOpen(null)
  return (
    <OfferedMoves
      value={(refusal) => (
        <LegalMoves document={document} opened={opened} refusal={refusal} onOpen={onOpen} />
      )}
    >
      {opened === 'pay' && <PayDialog document={document} onClose={close} />}
      {opened === 'issue' && <IssueDialog document={document} onClose={close} />}
      {opened !== null && typeof opened === 'object' && (
        <MoveDialog key={opened.to} document={document} move={opened} onClose={close} />
      )}
    </OfferedMoves>
  )
}

interface LegalMovesProps extends DialogsProps {
  refusal: ApiError
}

const LegalMoves = ({ document, opened, refusal, onOpen }: LegalMovesProps) => {
  const now = asRefused(document, refusal)
  if (now === undefined) return null
  const current = typeof opened === 'object' ? opened?.to : undefined
  const mayPay = paymentTargets.some((to) => now.allowed_transitions.includes(to))
  return (
    <>
      {movesOf(now)
        .filter(({ to, refusal }) => refusal === undefined && to !== current)
        .map((move) => (
          <Button key={move.to} onClick={() => onOpen(move)}>
            {`${move.verb}…`}
          </Button>
        ))}
      {mayPay && isPayable(now) && opened !== 'pay' && (
        <Button onClick={() => onOpen('pay')}>Pay…</Button>
      )}
    </>
  )
}

interface RefusalDetails {
  allowed: string[]
  from: DocumentRecord['status']
  current_revision: number
}

/** What the refusal knows of the document; one of an older revision is read again first. */
const asRefused = (document: DocumentRecord, refusal: ApiError): DocumentRecord | undefined => {
  const { allowed, from, current_revision } = refusal.details as Partial<RefusalDetails>
  if (current_revision !== undefined)
    return document.revision >= current_revision ? document : undefined
  if (allowed === undefined || from === undefined) return undefined
  return { ...document, status: from, allowed_transitions: allowed }
}
