/** What can be done with all documents that are selected in the list. */
import { useState } from 'react'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import type { DocumentRecord, Enablement } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { SelectionBar } from '../design/selection-bar.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { isPayable } from './payable.ts'

const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'))
const BulkPayDialog = lazyPart(() => import('./bulk-pay-dialog.tsx'))

interface SelectedDocumentsProps {
  documents: readonly DocumentRecord[]
  /** More match than can be selected at once. */
  isCut: boolean
  isSelecting: boolean
  /** Where more match than are selected. */
  onSelectMatching: (() => Promise<void>) | undefined
  onClear: () => void
}

/** As it was when one asked: the list changes while each is done. */
interface Opened {
  action: 'issue' | 'approve' | 'pay'
  documents: readonly DocumentRecord[]
}

export const SelectedDocuments = (props: SelectedDocumentsProps) => {
  const { documents, isCut, isSelecting, onSelectMatching, onClear } = props
  const [opened, setOpened] = useState<Opened | null>(null)
  const bills = documents.filter(isOwedBill)
  const isChosen = documents.length > 0
  // One would act on fewer than one has asked for.
  const awaited = isSelecting ? 'Those that match are being read.' : undefined
  const refusal = useScopeRefusal('documents:write') ?? awaited
  const payRefusal = usePayRefusal() ?? awaited
  const open = (action: 'issue' | 'approve') => () => setOpened({ action, documents })
  const openPay = () => setOpened({ action: 'pay', documents: bills })
  useShortcuts({
    // Without a selection they are for the document that is being opened.
    ...(isChosen && refusal === undefined && { a: open('approve'), i: open('issue') }),
    ...(bills.length > 0 && payRefusal === undefined && { p: openPay }),
  })
  const close = () => setOpened(null)
  return (
    <>
      {isChosen && (
        <SelectionBar label="Selected documents" count={documents.length} onClear={onClear}>
          {isCut && (
            <span className="text-sm text-muted">
              The first {documents.length.toLocaleString('en')} of those that match are selected
            </span>
          )}
          {onSelectMatching && (
            <Button kind="quiet" shortcut="*" onClick={() => void onSelectMatching()}>
              {isSelecting ? 'Selecting…' : 'Select all that match'}
            </Button>
          )}
          <Button shortcut="i" disabledReason={refusal} onClick={open('issue')}>
            Issue…
          </Button>
          <Button
            kind={bills.length > 0 ? 'plain' : 'primary'}
            shortcut="a"
            disabledReason={refusal}
            onClick={open('approve')}
          >
            Approve…
          </Button>
          {bills.length > 0 && (
            <Button kind="primary" shortcut="p" disabledReason={payRefusal} onClick={openPay}>
              {`Pay ${bills.length} ${bills.length === 1 ? 'bill' : 'bills'}…`}
            </Button>
          )}
        </SelectionBar>
      )}
      {opened?.action === 'pay' && (
        <BulkPayDialog documents={opened.documents} isCut={isCut} onClose={close} />
      )}
      {opened !== null && opened.action !== 'pay' && (
        <BulkDialog
          action={opened.action}
          documents={opened.documents}
          isCut={isCut}
          onClose={close}
        />
      )}
    </>
  )
}

/** One that waits for its approval is not meant when bills are paid. */
const isOwedBill = (document: DocumentRecord): boolean =>
  isPayable(document) && document.phase === 'accepted'

const usePayRefusal = (): string | undefined => {
  const { data } = useRead<Enablement>('/v1/enablement', {}, { refetchEveryMs: false })
  const refusal = useScopeRefusal('documents:write', 'payments:write')
  return data?.families['payments']?.enabled === false
    ? 'This service runs without payments.'
    : refusal
}
