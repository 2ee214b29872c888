/** One document: what it says, who moves next, what one can do now, and what has happened. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { store, stored } from '../api/browser-storage.ts'
import { useOfflineRefusal } from '../api/offline.ts'
import { isMissing, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentHistory, DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Page, Refusal } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { DocumentStatusMark } from '../design/status.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { Attachments } from './attachments.tsx'
import { Comments } from './comments.tsx'
import type { BesideToggle } from './counterparty-view.tsx'
import { DocumentActions, type OpenedDialog } from './document-actions.tsx'
import { DocumentDialogs } from './document-dialogs.tsx'
import { partyOf, sideOf, titleOf } from './document-names.ts'
import { DocumentSummary, PaymentPanel } from './document-summary.tsx'
import type { DocumentFilters } from './filters.ts'
import { Lines } from './lines.tsx'
import { Neighbours } from './neighbours.tsx'
import { Timeline } from './timeline.tsx'

const ListBeside = lazyPart(() => import('./list-beside.tsx'), {
  height: 'h-96',
  place: 'm-4 max-[87.49rem]:hidden',
})
const DisputePanel = lazyPart(() => import('./dispute.tsx'), { height: 'h-28', place: 'mb-6' })
const OtherSide = lazyPart(() => import('./other-side.tsx'), { height: 'h-96' })
const SeenFromOtherSide = lazyPart(() => import('./seen-from-other-side.tsx'))
const PdfPanel = lazyPart(() => import('./pdf-panel.tsx'), { height: 'h-96' })
const MissingRecord = lazyPart(() => import('../design/missing-record.tsx'), { height: 'h-32' })
const route = getRouteApi('/o/$org/documents/$document')

const DocumentPage = () => {
  const { org, document: id } = route.useParams()
  const { from, ...filters } = route.useSearch()
  const beside = useListToggle()
  return (
    <div className={beside.isShown ? besideGrid : ''}>
      {beside.isShown && <ListBeside id={id} org={org} filters={filters} />}
      <OneDocument id={id} org={org} filters={filters} from={from} beside={beside} />
    </div>
  )
}

export default DocumentPage

/** Where there is room for both. */
const besideGrid =
  'min-[87.5rem]:grid min-[87.5rem]:grid-cols-[20rem_minmax(0,1fr)] min-[87.5rem]:items-start'

const besideKey = 'list-beside'

interface ListToggle {
  isShown: boolean
  toggle: () => void
}

/** The browser keeps the choice: it is of its screen, and not of the person. */
const useListToggle = (): ListToggle => {
  const [isShown, setIsShown] = useState(stored(besideKey) === '1')
  const toggle = () => {
    store(besideKey, isShown ? '0' : '1')
    setIsShown(!isShown)
  }
  useShortcuts({ l: toggle })
  return { isShown, toggle }
}

/** As high as its buttons, which come later. */
const backRow = 'flex min-h-9 items-center justify-between md:min-h-8'

interface OneDocumentProps {
  id: string
  org: string
  filters: DocumentFilters
  /** The organization of the other side, if one has come from there. */
  from: string | undefined
  beside: ListToggle
}

const OneDocument = ({ id, org, filters, from, beside }: OneDocumentProps) => {
  const read = useRead<DocumentRecord>(`/v1/documents/${id}`)
  const [opened, setOpened] = useState<OpenedDialog>(null)
  useEffect(() => setOpened(null), [id])
  const pdf = useBesideToggle()
  const sides = useBesideToggle()
  const document = read.data
  const hold = useHold(id)
  const back = (
    <Link to="/o/$org/documents" params={{ org }} search={filters} className="hover:text-ink">
      Documents
    </Link>
  )
  if (document === undefined)
    return (
      <Page title="Document" back={<div className={backRow}>{back}</div>}>
        {isMissing(read.error) ? (
          <MissingRecord error={read.error} />
        ) : read.error ? (
          <Refusal error={read.error} onRetry={() => void read.refetch()} />
        ) : (
          <Skeleton className="h-96" />
        )}
      </Page>
    )
  return (
    <Page
      title={titleOf(document)}
      aside={<DocumentStatusMark {...document} />}
      lead={<WhoIsNext document={document} />}
      back={
        <div className={backRow}>
          <span className="flex items-center gap-2">
            {back}
            <Button
              kind="quiet"
              shortcut="l"
              data-print="no"
              className="max-[87.49rem]:hidden"
              onClick={beside.toggle}
            >
              {beside.isShown ? 'Hide list' : 'Show list'}
            </Button>
          </span>
          <Neighbours id={id} org={org} filters={filters} />
        </div>
      }
      actions={<DocumentActions key={id} document={document} hold={hold} onOpen={setOpened} />}
    >
      {from && <SeenFromOtherSide id={id} from={from} />}
      {document.dispute && <DisputePanel document={document} />}
      <div
        className={
          pdf.isShown || sides.isShown ? 'grid items-start gap-6 min-[75rem]:grid-cols-2' : ''
        }
      >
        <Regions document={document} pdf={pdf} sides={sides} />
        {sides.isShown && <OtherSide id={sides.id} document={document} />}
        {pdf.isShown && <PdfPanel id={pdf.id} document={document} />}
      </div>
      <DocumentDialogs document={document} opened={opened} onOpen={setOpened} />
    </Page>
  )
}

/** It stays shown from one document to the next. */
const useBesideToggle = (): BesideToggle => {
  const [isShown, setIsShown] = useState(false)
  return { id: useId(), isShown, toggle: () => setIsShown(!isShown) }
}

/** In one column where there is little room: on a narrow screen, and beside the PDF or the list. */
interface RegionsProps {
  document: DocumentRecord
  pdf: BesideToggle
  sides: BesideToggle
}

const Regions = ({ document, pdf, sides }: RegionsProps) => (
  <div className="@container">
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 @min-[55rem]:grid-cols-[minmax(0,1fr)_20rem] @min-[55rem]:grid-rows-[auto_1fr]">
      <div className="@min-[55rem]:col-start-2">
        <DocumentSummary document={document} pdf={pdf} sides={sides} />
      </div>
      <div className="in-turn grid grid-cols-[minmax(0,1fr)] gap-6 @min-[55rem]:col-start-1 @min-[55rem]:row-span-2 @min-[55rem]:row-start-1">
        <Lines document={document} />
        <Timeline document={document} />
        <div data-print="no">
          <Comments key={document.id} document={document} />
        </div>
      </div>
      <div className="in-turn grid grid-cols-[minmax(0,1fr)] gap-6 @min-[55rem]:col-start-2">
        <PaymentPanel document={document} />
        <div data-print="no">
          <Attachments key={document.id} document={document} />
        </div>
      </div>
    </div>
  </div>
)

/** A document whose history does not verify can be neither moved nor paid, and none can offline. */
const useHold = (id: string): string | undefined => {
  const isReadable = useSession().scopes.includes('provenance:read')
  const path = `/v1/documents/${id}/history`
  const offline = useOfflineRefusal()
  const { error } = useRead<DocumentHistory>(path, {}, { isEnabled: isReadable })
  return error?.code === 'integrity_failure'
    ? 'It is on hold: its history does not verify.'
    : offline
}

const WhoIsNext = ({ document }: { document: DocumentRecord }) => {
  const { data } = useRead<{ waiting_on: 'issuer' | 'counterparty' | 'none' }>(
    `/v1/documents/${document.id}/transitions`,
  )
  const other = partyOf(document)
  const direction = document.direction === 'issued' ? 'To' : 'From'
  const next =
    data === undefined || data.waiting_on === 'none'
      ? ''
      : data.waiting_on === sideOf(document)
        ? ' · You move next.'
        : ` · ${other} moves next.`
  // On a narrow screen the answer may need a second line: it has its room before it is there.
  return (
    <span className="inline-block max-md:min-h-[2lh]">
      {direction} <bdi>{other}</bdi>
      {next}
    </span>
  )
}
