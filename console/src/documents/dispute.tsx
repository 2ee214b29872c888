/** Why a document is disputed, and who has said so: what the other side answers. */
import { reasonCodes } from '../../../src/contract/code-lists.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { Panel } from '../design/layout.tsx'
import { partyOf } from './document-names.ts'

const DisputePanel = ({ document }: { document: DocumentRecord }) => {
  const { dispute, direction, document_type } = document
  if (dispute === null) return null
  const { reason_code: code, note, raised_by, opened_at } = dispute
  const isOwn = (raised_by === 'issuer') === (direction === 'issued')
  const party = <bdi>{partyOf(document)}</bdi>
  // That there is another reason says nothing beside the note.
  const reason = code === 'OTH' ? undefined : reasonCodes[code as keyof typeof reasonCodes]
  return (
    <Panel
      title="Dispute"
      className="mb-6"
      aside={
        <span className="text-right text-sm text-muted">
          {isOwn ? 'You' : party} · <Time at={opened_at} />
        </span>
      }
    >
      <div className="grid gap-2 px-4 py-3">
        {reason && <p className="font-medium">{reason}</p>}
        {note && (
          <p dir="auto" className="wrap-anywhere whitespace-pre-line">
            {note}
          </p>
        )}
        {!reason && !note && <p>No reason is given.</p>}
        {direction === 'issued' && document_type === 'invoice' && (
          <p className="text-sm text-muted">
            A credit note lowers what is owed. Once you have agreed, {party} approves or rejects the
            invoice.
          </p>
        )}
      </div>
    </Panel>
  )
}

export default DisputePanel
