/** What an approval is about, and what whoever asked for it does once it is approved. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'
import type { Approval } from '../api/types.ts'
import { DocumentNumber } from '../design/document-number.tsx'
import { Status } from '../design/status.tsx'

/** Undefined for what concerns a loan that has no document yet. */
export const documentOf = ({ statement }: Approval): string | undefined =>
  // The statement names what is decided on, by its kind.
  (statement as { document?: { id: string } }).document?.id

const Destination = ({ approval, children }: { approval: Approval; children: ReactNode }) => {
  const params = { org: useSession().organization.id }
  const document = documentOf(approval)
  const className = 'font-medium text-accent underline'
  return document === undefined ? (
    <Link to="/o/$org/finance" params={params} className={className}>
      {children}
    </Link>
  ) : (
    <Link
      to="/o/$org/documents/$document"
      params={{ ...params, document }}
      search={{}}
      className={className}
    >
      {children}
    </Link>
  )
}

export const DocumentOf = ({ approval }: { approval: Approval }) => {
  const document = documentOf(approval)
  return (
    document !== undefined && (
      <Destination approval={approval}>
        <DocumentNumber id={document} />
      </Destination>
    )
  )
}

const verbs: Record<Approval['operation'], string> = {
  'documents.pay': 'Pay it now',
  'documents.transition': 'Do it now, on the document',
  'finance.offers.create': 'Make the offer now',
  'finance.offers.accept': 'Accept the offer now',
  'finance.agreements.repay': 'Repay it now',
}

/** An approved write runs when it is sent again, by whoever asked for it. */
export const NextStep = ({ approval }: { approval: Approval }) => {
  const { user } = useSession()
  if (approval.status !== 'approved') return null
  const isOwn = approval.key_id === null && approval.user_id === user.id
  return (
    <div className="rounded-md border border-line bg-canvas p-4">
      <Status tone="good">It is approved</Status>
      <p className="mt-1">
        {isOwn
          ? 'Send it again as it was: it then runs, exactly once.'
          : 'It runs once whoever asked for it sends it again.'}
      </p>
      {isOwn && (
        <p className="mt-3">
          <Destination approval={approval}>{verbs[approval.operation]}</Destination>
        </p>
      )}
    </div>
  )
}
