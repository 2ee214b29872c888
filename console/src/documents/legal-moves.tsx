/** The moves that are legal after one was refused, as its dialog offers them. */
import type { ApiError } from '../api/call.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import type { DialogsProps } from './document-actions.tsx'
import { movesOf, paymentTargets } from './moves.ts'
import { isPayable } from './payable.ts'

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

export default LegalMoves

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
