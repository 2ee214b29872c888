/** The documents and payments that led to a document, and those that followed from it. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { phaseOf } from '../../../src/contract/document-phases.ts'
import { useRead } from '../api/reads.ts'
import type { Lineage, Payment } from '../api/types.ts'
import { Time, wordsOf } from '../design/format.tsx'
import { Icon, type IconName } from '../design/icon.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { DocumentStatusMark, StatusMark } from '../design/status.tsx'
import { paymentWords } from '../payments/payment-words.ts'

type Step = Lineage['steps'][number]

export const LineagePanel = ({ org, id }: { org: string; id: string }) => {
  const read = useRead<Lineage>(`/v1/documents/${id}/lineage`)
  return (
    <Panel title="What led to it, and what followed">
      <div className="p-4">
        <Region read={read}>
          {(lineage) => (
            <>
              <ol className="grid gap-4">
                {lineage.steps.map((step) => (
                  <LineageStep key={step.step} org={org} id={id} step={step} lineage={lineage} />
                ))}
              </ol>
              {lineage.links.length === 0 && (
                <p className="mt-4 text-muted">
                  No other document or payment is linked to it yet. An order that is billed, and the
                  payment of a bill, appear here.
                </p>
              )}
              {lineage.truncated && (
                <p className="mt-4 text-muted">There are more steps than are shown here.</p>
              )}
            </>
          )}
        </Region>
      </div>
    </Panel>
  )
}

interface LineageStepProps {
  org: string
  /** Of the document that is looked at. */
  id: string
  step: Step
  lineage: Lineage
}

const LineageStep = ({ org, id, step, lineage }: LineageStepProps) => {
  const { document, payment, sealed, at } = step
  return (
    <li className={`flex gap-3 ${sealed ? 'text-muted' : ''}`}>
      <Icon name={iconOf(step)} className="mt-0.5 text-faint" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3">
          <Name org={org} id={id} step={step} lineage={lineage} />
          {document && (
            <DocumentStatusMark status={document.status} phase={phaseOf(document.status)} />
          )}
          {payment && <StatusMark status={payment.status} />}
        </p>
        {lineage.links
          .filter(({ from }) => from === step.step)
          .map(({ to, relation }) => (
            <p key={to + relation} className="text-sm">
              {wordsOf(relation)} → {nameIn(lineage, to)}
            </p>
          ))}
        <p className="text-sm text-muted">
          <Time at={at} />
        </p>
      </div>
    </li>
  )
}

const Name = ({ org, id, step, lineage }: LineageStepProps): ReactNode => {
  const { document } = step
  const name = nameOf(step, lineage)
  if (document === undefined) return name
  if (document.id === id) return <strong className="font-semibold">{name}</strong>
  return (
    <Link
      to="/o/$org/documents/$document"
      params={{ org, document: document.id }}
      search={{}}
      className="text-accent underline"
    >
      {name}
    </Link>
  )
}

const iconOf = ({ sealed, kind }: Step): IconName =>
  sealed ? 'lock' : kind === 'payment' ? 'payments' : 'documents'

const nameIn = (lineage: Lineage, wanted: number): string => {
  const step = lineage.steps.find(({ step }) => step === wanted)
  return step === undefined ? 'a step that is not shown' : nameOf(step, lineage)
}

const holders = { counterparty: 'the other side', third_party: 'another organization' }

const nameOf = (step: Step, lineage: Lineage): string => {
  const { document, payment, kind, on_step, held_by = 'counterparty' } = step
  if (document !== undefined) return `${document.label} ${document.number ?? 'draft'}`
  if (payment !== undefined) return paymentWords[payment.kind as Payment['kind']]
  const what = on_step === undefined ? `A ${kind}` : `A change of ${nameIn(lineage, on_step)}`
  return `${what} that only ${holders[held_by]} can read`
}
