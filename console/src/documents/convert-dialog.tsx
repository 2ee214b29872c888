/** Makes the draft of the document that follows from this one, with its lines. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
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
  const [terms, setTerms] = useState('')
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
          body: { document_type: move.to, ...(terms !== '' && { payment_terms: terms }) },
        })
      }
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="To">{partyOf(document)}</Fact>
        <Fact term="Total">
          <Money amount={document.total} currency={document.currency} />
        </Fact>
      </dl>
      {/* Those of the source may name a day that has passed. */}
      {(terms !== '' || write.error?.reason === 'terms_date_past') && (
        <TextField
          label="Terms"
          param="/payment_terms"
          hint="Net 30, EOM or 2/10 net 30."
          value={terms}
          onChange={({ target }) => setTerms(target.value)}
        />
      )}
    </FormDialog>
  )
}

export default ConvertDialog
