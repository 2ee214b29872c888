/** One action on many documents: a dry run of each, one question, then the outcome of each. */
import { useEffect, useState } from 'react'
import { freshKey } from '../api/call.ts'
import type { DocumentRecord } from '../api/types.ts'
import type { Write } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { Refusal } from '../design/layout.tsx'
import { BulkRows, type RowTexts, Sums, buttonOfSums, countText, sumsOf } from './bulk-rows.tsx'
import { type Step, isPossible, useBulkWork } from './bulk-work.ts'

type Action = 'issue' | 'approve'

interface BulkDialogProps {
  action: Action
  documents: readonly DocumentRecord[]
  /** More match than can be selected at once. */
  isCut: boolean
  onClose: () => void
}

const writeOf = (document: DocumentRecord, action: Action): Write => {
  const ifMatch = document.revision
  const path = `/v1/documents/${document.id}`
  if (action === 'issue') return { path: `${path}/issue`, ifMatch }
  const to = ['invoice', 'credit_note'].includes(document.document_type) ? 'approved' : 'accepted'
  return { path: `${path}/transition`, ifMatch, body: { to } }
}

const texts: RowTexts = {
  amountOf: ({ total }) => total,
  possible: 'Possible',
  doneOf: () => ['good', 'Done'],
}

const BulkDialog = ({ action, documents, isCut, onClose }: BulkDialogProps) => {
  const [keys] = useState(() => new Map(documents.map(({ id }) => [id, freshKey()])))
  const { rows, step, proof, check, send, stop } = useBulkWork(documents, {
    writeOf: (document) => writeOf(document, action),
    keyOf: ({ id }) => keys.get(id)!,
  })
  useEffect(() => void check(rows), [])

  const possible = rows.filter(isPossible)
  // What never arrived can be sent again, with the same keys.
  const isOver = step === 'sent' && possible.length === 0
  const verb = action === 'issue' ? 'Issue' : 'Approve'
  const answered = rows.filter(({ refusal }) => refusal !== undefined)
  return (
    <Dialog
      title={`${verb} ${countText(rows.length, 'document')}`}
      lead={leadOf(step, possible.length, rows.length) + (isCut ? cutText : '')}
      onClose={onClose}
      size="large"
    >
      <BulkRows
        rows={rows}
        texts={texts}
        progress={step === 'checking' ? answered.length : rows.length - possible.length}
      />
      {proof && (
        <div className="mt-3">
          <Refusal error={proof.error} onRetry={proof.resume} />
        </div>
      )}
      <DialogActions>
        {step === 'sending' && proof === null ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button key={String(isOver)} autoFocus={isOver} onClick={onClose}>
            {isOver || step === 'stopped' ? 'Close' : 'Not now'}
          </Button>
        )}
        {!isOver && (
          <Button
            kind="primary"
            isWrite
            data-first
            className={buttonOfSums}
            disabledReason={refusalOf(step, possible.length)}
            onClick={() => void send(possible)}
          >
            <span>
              {`${verb} ${possible.length} · `}
              <Sums sums={sumsOf(possible, texts.amountOf)} />
            </span>
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export default BulkDialog

const cutText = ' More match than can be selected at once: do the others after these.'

const leadOf = (step: Step, possible: number, all: number): string => {
  if (step === 'checking') return 'Each is checked first, without any effect.'
  if (step === 'sending') return 'They are being sent. If you stop, the others stay as they are.'
  if (step === 'stopped') return `Stopped: ${countText(possible, 'document')} stay as they are.`
  if (step === 'sent')
    return possible === 0
      ? 'Done. What was refused is listed with its reason.'
      : `${possible} did not arrive. Sending them again doubles nothing.`
  return possible === all
    ? 'All of them can be done.'
    : `${possible} of ${all} can be done; the others say why not.`
}

const refusalOf = (step: Step, possible: number): string | undefined => {
  if (step === 'checking') return 'They are being checked.'
  if (step === 'sending') return 'They are being sent.'
  return possible === 0 ? 'None of them can be done.' : undefined
}
