/** The dialog of one act on a document that is not open: it is read first, and may not allow it. */
import { useRef, useState } from 'react'
import { useRead } from '../api/reads.ts'
import { type Session, useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import Dialog from '../design/dialog.tsx'
import { Region } from '../design/layout.tsx'
import type { OpenedDialog } from './document-actions.tsx'
import { DocumentDialogs } from './document-dialogs.tsx'
import { titleOf } from './document-names.ts'

interface RequestedActionProps {
  /** Of the document. */
  id: string
  /** While it is read. */
  title: string
  decide: (document: DocumentRecord, session: Session) => Decision
  onClose: () => void
}

export interface Decision {
  action: OpenedDialog
  /** Why it is not possible now. */
  refusal: string | undefined
}

const RequestedAction = ({ id, title, ...rest }: RequestedActionProps) => {
  const read = useRead<DocumentRecord>(`/v1/documents/${id}`)
  // What the cache has may be older than the row.
  const isRead = useRef(false)
  isRead.current ||= read.data !== undefined && !read.isFetching
  if (isRead.current && read.data !== undefined) return <Ask {...rest} document={read.data} />
  return (
    <Dialog title={title} onClose={rest.onClose}>
      {read.data === undefined && <Region read={read}>{() => null}</Region>}
    </Dialog>
  )
}

export default RequestedAction

interface AskProps extends Pick<RequestedActionProps, 'decide' | 'onClose'> {
  document: DocumentRecord
}

/** Decided once: while one fills the dialog in, it stays. */
const Ask = ({ document, decide, onClose }: AskProps) => {
  const session = useSession()
  const [{ action, refusal }] = useState(() => decide(document, session))
  const [opened, setOpened] = useState(action)
  if (refusal !== undefined)
    return (
      <Dialog title={titleOf(document)} onClose={onClose}>
        <p>{refusal}</p>
      </Dialog>
    )
  return (
    <DocumentDialogs
      document={document}
      opened={opened}
      onOpen={(next) => (next === null ? onClose() : setOpened(next))}
    />
  )
}
