/** An agreed loan: its three documents, what is owed, and every sweep so far. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { flagCodes } from '../../../src/contract/finance-states.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord, FinanceAgreement, FinanceRepayment } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button, buttonClass } from '../design/button.tsx'
import Dialog, { DialogActions, FormDialog } from '../design/dialog.tsx'
import { DownloadButton } from '../design/download-button.tsx'
import { TextField } from '../design/field.tsx'
import { DateText, Money, Time, wordsOf } from '../design/format.tsx'
import { Fact, Region } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { notify } from '../design/notices.tsx'
import { DocumentStatusMark, StatusMark } from '../design/status.tsx'
import { useKeptText } from '../documents/kept-texts.ts'
import { NoticeFact } from './disclosure.tsx'

interface AgreementDialogProps {
  id: string
  onClose: () => void
}

const AgreementDialog = ({ id, onClose }: AgreementDialogProps) => {
  const path = `/v1/finance/agreements/${id}`
  const read = useRead<FinanceAgreement>(path)
  return (
    <Dialog
      title={read.data?.role === 'lender' ? 'You lent' : 'You borrowed'}
      lead="Three documents record the loan. Borrower and lender both see them."
      onClose={onClose}
      size="large"
    >
      <Region read={read} skeleton="h-64">
        {(agreement) => <Agreement agreement={agreement} path={path} onClose={onClose} />}
      </Region>
    </Dialog>
  )
}

export default AgreementDialog

interface AgreementProps {
  agreement: FinanceAgreement
  path: string
  onClose: () => void
}

const Agreement = ({ agreement, path, onClose }: AgreementProps) => {
  const { terms, documents, flag, status } = agreement
  const repayment = useRead<FinanceRepayment>(`${path}/repayment`)
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        <StatusMark status={status} />
        {agreement.closed_reason && (
          <span className="text-muted">{wordsOf(agreement.closed_reason)}</span>
        )}
      </p>
      {flag && <Flag flag={flag} />}
      <ul aria-label="Documents of the loan" className="grid gap-3 sm:grid-cols-3">
        <LoanDocument id={documents.agreement_id} title="Agreement" />
        <LoanDocument id={documents.disbursement_id} title="Disbursement" />
        <LoanDocument id={documents.repayment_id} title="Repayment" />
      </ul>
      <dl className="mt-4 rounded-md border border-line px-4 py-2">
        <Fact term="Paid out">
          <Money amount={terms.principal} currency={terms.currency} />
        </Fact>
        <Fact term="To repay">
          <Money amount={terms.total_repayable} currency={terms.currency} />
        </Fact>
        <Fact term="Repaid">
          <Money amount={agreement.amount_repaid} currency={terms.currency} />
        </Fact>
        <Fact term="Owed now">
          <strong>
            <Money amount={agreement.amount_owed} currency={terms.currency} />
          </strong>
        </Fact>
        <Fact term="Due">
          <DateText date={terms.due_date} />
        </Fact>
        <NoticeFact notice={agreement.notice} />
      </dl>
      <h3 className="mt-5 mb-2 font-semibold">Repayments from the invoice</h3>
      <Region read={repayment} skeleton="h-12">
        {(state) => <Sweeps agreement={agreement} repayment={state} />}
      </Region>
      <Actions agreement={agreement} path={path} onClose={onClose} />
    </>
  )
}

/** What is wrong and what ends it, or that it has ended. */
const Flag = ({ flag }: { flag: NonNullable<FinanceAgreement['flag']> }) => {
  const { meaning, cure } = flagCodes[flag.code]
  const isCured = flag.cured_at !== null
  return (
    <p
      role="note"
      className={`mb-3 rounded-md border border-line p-3 text-sm ${isCured ? 'text-muted' : 'bg-red-tint'}`}
    >
      <strong className="font-semibold">{wordsOf(flag.code)}</strong>{' '}
      {isCured ? (
        <>
          from <Time at={flag.since} /> to <Time at={flag.cured_at} />.
        </>
      ) : (
        <>
          since <Time at={flag.since} />. {meaning.replaceAll('`flag_after`', 'the grace period')}{' '}
          The flag ends once {cure}.
        </>
      )}
    </p>
  )
}

const LoanDocument = ({ id, title }: { id: string; title: string }) => {
  const org = useSession().organization.id
  const { data } = useRead<DocumentRecord>(`/v1/documents/${id}`)
  return (
    <li className="rounded-md border border-line p-3">
      <p className="text-sm text-muted">{title}</p>
      {data === undefined ? (
        <Skeleton className="mt-1 h-10" />
      ) : (
        <>
          <Link
            to="/o/$org/documents/$document"
            params={{ org, document: id }}
            search={{}}
            className="font-medium text-accent"
          >
            {data.number}
          </Link>
          <p className="mt-1">
            <DocumentStatusMark {...data} />
          </p>
        </>
      )}
    </li>
  )
}

interface SweepsProps {
  agreement: FinanceAgreement
  repayment: FinanceRepayment
}

const Sweeps = ({ agreement, repayment }: SweepsProps) => {
  const { pledge, terms } = agreement
  const { currency, due_date } = terms
  if (repayment.sweeps.length === 0)
    return (
      <p className="text-muted">
        {repayment.amount_owed === 0 ? (
          'None. Nothing is owed now.'
        ) : pledge.balance_due === 0 ? (
          'None. Nothing is left to be paid on the pledged invoice.'
        ) : (
          <>
            When the pledged invoice is paid, due <DateText date={due_date} />, up to{' '}
            <Money amount={repayment.amount_owed} currency={currency} /> moves on to the lender.
          </>
        )}
      </p>
    )
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {repayment.sweeps.map((sweep) => (
        <li key={sweep.payment_id} className="flex flex-wrap justify-between gap-x-4 px-4 py-2">
          <span>
            <strong>
              <Money amount={sweep.amount} currency={currency} />
            </strong>{' '}
            <span className="text-muted">
              of <Money amount={sweep.proceeds} currency={currency} /> paid on the invoice
            </span>
          </span>
          <StatusMark status={sweep.status} />
        </li>
      ))}
    </ul>
  )
}

const Actions = ({ agreement, path, onClose }: AgreementProps) => {
  const { role, status, amount_owed: owed, amount_repaid: repaid, documents } = agreement
  const org = useSession().organization.id
  const mayChange = useScopeRefusal('documents:write')
  const mayProve = useScopeRefusal('provenance:read')
  const [isWithdrawing, setIsWithdrawing] = useState(false)
  return (
    <DialogActions>
      {mayProve === undefined && (
        <DownloadButton path={`${path}/export`} filename={`${agreement.id}.bundle.json`}>
          Download the proof
        </DownloadButton>
      )}
      {status !== 'closed' && owed === 0 && repaid === 0 && (
        <Button disabledReason={mayChange} onClick={() => setIsWithdrawing(true)}>
          Withdraw…
        </Button>
      )}
      <Button onClick={onClose}>Close</Button>
      {role === 'borrower' && owed > 0 && (
        <Link
          to="/o/$org/documents/$document"
          params={{ org, document: documents.repayment_id }}
          search={{}}
          className={buttonClass('primary')}
        >
          Open to repay
        </Link>
      )}
      {isWithdrawing && <WithdrawDialog path={path} onClose={() => setIsWithdrawing(false)} />}
    </DialogActions>
  )
}

const WithdrawDialog = ({ path, onClose }: { path: string; onClose: () => void }) => {
  const [reason, setReason] = useKeptText(`${path} reason`)
  const close = () => {
    setReason('')
    onClose()
  }
  const write = useWrite<FinanceAgreement>(() => {
    notify('You have withdrawn: the invoice is free again')
    close()
  })
  return (
    <FormDialog
      title="Withdraw from the loan"
      lead="Nothing of it is lent now. Its documents are cancelled, and the invoice is free again."
      write={write}
      verb="Withdraw"
      isDanger
      cancel="Keep it"
      onSubmit={() =>
        write.mutate({ path: `${path}/withdraw`, body: reason === '' ? {} : { reason } })
      }
      onClose={close}
    >
      <TextField
        label="Reason"
        param="/reason"
        hint="Both sides read it."
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
