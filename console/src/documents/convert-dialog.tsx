/** Makes the draft of the document that follows from this one, with its lines. */
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { Money } from '../design/format.tsx'
import { Fact } from '../design/layout.tsx'
import { partyOf, titleOf } from './document-names.ts'
import type { Move } from './moves.ts'

interface ConvertDialogProps {
  document: DocumentRecord
  move: Move
  onClose: () => void
}

const ConvertDialog = ({ document, move, onClose }: ConvertDialogProps) => {
  const org = useSession().organization.id
  const navigate = useNavigate()
  const write = useWrite<DocumentRecord>(({ body }) => {
    onClose()
    void navigate({ to: '/o/$org/documents/$document/edit', params: { org, document: body.id } })
  })
  return (
    <FormDialog
      title={`${move.verb} from ${titleOf(document)}`}
      lead="A draft with the same lines, which only you see. Change or remove lines before you issue it."
      write={write}
      verb="Create the draft"
      onSubmit={() =>
        write.mutate({
          path: `/v1/documents/${document.id}/convert`,
          body: { document_type: move.to },
        })
      }
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term={document.direction === 'issued' ? 'To' : 'From'}>{partyOf(document)}</Fact>
        <Fact term="Its total">
          <Money amount={document.total} currency={document.currency} />
        </Fact>
      </dl>
    </FormDialog>
  )
}

export default ConvertDialog
