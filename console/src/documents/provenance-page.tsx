/** The history of a document with its hashes, and the bundle that proves it without this service. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isMissing, useRead } from '../api/reads.ts'
import type { DocumentHistory } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { DownloadButton } from '../design/download-button.tsx'
import { Time } from '../design/format.tsx'
import { Command, CopyText, Empty, Fact, Page, Panel, Refusal, Region } from '../design/layout.tsx'
import { type Column, Table } from '../design/table.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { BrowserCheck } from './browser-check.tsx'
import { type BrowserFinding, HistoryBadge } from './history-badge.tsx'
import { LineagePanel } from './lineage.tsx'
import { type Step, stepText } from './step-text.ts'

const MissingRecord = lazyPart(() => import('../design/missing-record.tsx'), { height: 'h-32' })
const route = getRouteApi('/o/$org/documents/$document/provenance')

const ProvenancePage = () => {
  const { org, document: id } = route.useParams()
  const read = useRead<DocumentHistory>(`/v1/documents/${id}/history`)
  const [inBrowser, setInBrowser] = useState<BrowserFinding>('none')
  const [digest, setDigest] = useState<string | null>(null)
  const isIntact = read.data?.verified === true
  const isBroken = read.error?.code === 'integrity_failure'
  const isOffline = read.error?.status === 0
  return (
    <Page
      title="Proof"
      aside={
        !isMissing(read.error) && (
          <HistoryBadge isIntact={isIntact} inBrowser={inBrowser} error={read.error} />
        )
      }
      lead="Every step is linked to the one before it and recorded in a signed log that is never rewritten. The proof shows it without this service."
      back={
        <Link
          to="/o/$org/documents/$document"
          params={{ org, document: id }}
          search={{}}
          className="hover:text-ink"
        >
          Back to the document
        </Link>
      }
      actions={
        // What does not verify is not handed out as a proof, and what is not there has none.
        !isBroken &&
        !isMissing(read.error) && (
          <div className="grid max-w-64 grid-cols-[minmax(0,1fr)] gap-1">
            <DownloadButton
              path={`/v1/documents/${id}/export`}
              filename={`${id}.bundle.json`}
              onDownloaded={(headers) => setDigest(headers.get('svc-bundle-digest'))}
            >
              Download the proof
            </DownloadButton>
            {digest && (
              <span className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-2 text-sm text-muted">
                SHA-256 <CopyText text={digest} label="Svc-Bundle-Digest" />
              </span>
            )}
          </div>
        )
      }
    >
      {isBroken && read.error ? (
        <Refusal error={read.error} />
      ) : isOffline && read.data === undefined ? (
        <Empty
          title="Could not check (offline)"
          actions={<Button onClick={() => void read.refetch()}>Try again</Button>}
        >
          Neither the service nor this browser has looked at the history now. That says nothing
          about it.
        </Empty>
      ) : isMissing(read.error) ? (
        <MissingRecord error={read.error} />
      ) : (
        <Region read={read} skeleton="h-64">
          {(history) => (
            <div className="in-turn grid items-start gap-6 @lg:grid-cols-[minmax(0,1fr)_22.5rem]">
              <div className="in-turn grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
                <Panel title="Steps" className="overflow-hidden">
                  <Table
                    caption="Steps, oldest first"
                    isBeside
                    columns={columns}
                    rows={history.entries}
                    rowKey={({ seq }) => String(seq)}
                  />
                </Panel>
                <LineagePanel org={org} id={id} />
              </div>
              <div className="in-turn grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
                <Panel title="Checked just now">
                  <Verification history={history} readAtMs={read.dataUpdatedAt} />
                </Panel>
                <BrowserCheck id={id} onFinding={setInBrowser} />
              </div>
            </div>
          )}
        </Region>
      )}
    </Page>
  )
}

export default ProvenancePage

const columns: Column<Step>[] = [
  { title: 'Step', align: 'right', cell: ({ seq }) => seq },
  {
    title: 'What',
    cell: (step) => (
      <>
        <span className="font-medium">{stepText(step)}</span>
        <span className="block text-sm text-muted roomy:hidden">
          <Time at={step.at} isExact />
        </span>
      </>
    ),
  },
  { title: 'When', isWide: true, cell: ({ at }) => <Time at={at} isExact /> },
  {
    title: 'Hash',
    className: 'max-w-[8.75rem]',
    cell: ({ seq, hash }) => <CopyText text={hash} label={`the hash of step ${seq}`} />,
  },
  { title: 'In the log', isWide: true, align: 'right', cell: ({ log }) => log?.index ?? 'soon' },
]

interface VerificationProps {
  history: DocumentHistory
  readAtMs: number
}

const Verification = ({ history: { verification }, readAtMs }: VerificationProps) => (
  <div className="px-4 py-3">
    <p>
      {verification.events} steps, checked by the service just now,{' '}
      <Time at={new Date(readAtMs).toISOString()} isExact />. Nobody has changed what was recorded;
      a history cannot say whether it is right.
    </p>
    <dl className="mt-2">
      <Fact term="Hash of the last step">
        <CopyText text={verification.head.hash} label="the hash of the last step" />
      </Fact>
      <Fact term="Checks passed">{verification.checks.length}</Fact>
      <Fact term="In the log up to step">{verification.logged_through_seq}</Fact>
      {verification.checkpoint && (
        <>
          <Fact term="Log">{verification.checkpoint.origin}</Fact>
          <Fact term="Entries in the log">{verification.checkpoint.size}</Fact>
        </>
      )}
    </dl>
    <p className="mt-3 text-muted">Check the proof yourself, with nothing but Node.js:</p>
    <Command>{`curl -O '${location.origin}/v1/docs/verifier/verify-bundle.mjs'\nnode verify-bundle.mjs bundle.json`}</Command>
  </div>
)
