/** Asks before a draft is issued: from then on the other side sees it, and nobody changes it. */
import { useEffect } from 'react'
import { useWrite } from '../api/writes.ts'
import type { DocumentRecord } from '../api/types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { DateText, Money } from '../design/format.tsx'
import { Fact } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { partyOf, titleOf } from './document-names.ts'

const IssueDialog = ({ document, onClose }: { document: DocumentRecord; onClose: () => void }) => {
  const path = `/v1/documents/${document.id}/issue`
  const dryRun = useWrite<DocumentRecord>()
  const write = useWrite<DocumentRecord>(({ body }) => {
    notify(`${titleOf(body)} is issued`)
    onClose()
  })
  useEffect(() => dryRun.mutate({ path, dryRun: true }), [path])
  const seen = dryRun.data?.body ?? document
  return (
    <FormDialog
      title={`Issue this ${document.label.toLowerCase()}`}
      lead={`${partyOf(document)} sees it from then on, and it cannot be edited any more.`}
      write={{ error: write.error ?? dryRun.error, isPending: write.isPending }}
      verb="Issue"
      cancel="Keep the draft"
      obstacle={dryRun.error?.explanation}
      onSubmit={() => write.mutate({ path, ifMatch: document.revision })}
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="To">{partyOf(document)}</Fact>
        <Fact term="Total">
          <strong>
            <Money amount={seen.total} currency={seen.currency} />
          </strong>
        </Fact>
        <Fact term="Dated">
          <DateText date={seen.document_date} />
        </Fact>
        {seen.due_date && (
          <Fact term="Due">
            <DateText date={seen.due_date} />
          </Fact>
        )}
      </dl>
    </FormDialog>
  )
}

export default IssueDialog
