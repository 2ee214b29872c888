/** The amounts, dates and references of a document, and how it is paid. */
import { Link } from '@tanstack/react-router'
import { curlOf } from '../api/curl.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { DownloadButton } from '../design/download-button.tsx'
import { DateText, Money, Sentence, Time, methodText, wordsOf } from '../design/format.tsx'
import { CopyText, Fact, Panel } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'
import { StatusMark } from '../design/status.tsx'
import { type BesideToggle, ViewAsCounterparty } from './counterparty-view.tsx'
import { titleOf } from './document-names.ts'

/** A long amount is smaller, since the panel is narrow and an amount is one word. */
const sizeOf = (text: string): string =>
  text.length > 16 ? 'text-lg @sm:text-xl' : 'text-xl @sm:text-2xl'

interface DocumentSummaryProps {
  document: DocumentRecord
  pdf: BesideToggle
  sides: BesideToggle
}

export const DocumentSummary = ({ document, pdf, sides }: DocumentSummaryProps) => {
  const org = useSession().organization.id
  const { balance_due: open, total, currency } = document
  const amount = open > 0 ? open : total
  return (
    <Panel>
      <div className="border-b border-line px-4 py-3">
        <p className="text-sm text-muted">{open > 0 ? 'Open balance' : 'Total'}</p>
        <p
          className={`tabular font-semibold tracking-tight ${sizeOf(moneyText(amount, currency))}`}
        >
          <Money amount={amount} currency={currency} />
        </p>
      </div>
      <dl className="px-4 py-2">
        <Fact term="Dated">
          <DateText date={document.document_date} />
        </Fact>
        {document.due_date && (
          <Fact term="Due">
            <DateText date={document.due_date} />
          </Fact>
        )}
        {document.valid_until && (
          <Fact term="Valid until">
            <DateText date={document.valid_until} />
          </Fact>
        )}
        {document.payment_terms && <Fact term="Terms">{document.payment_terms}</Fact>}
        {document.early_payment && (
          <Fact term="Discount">
            {document.early_payment.percent}% until <DateText date={document.early_payment.until} />
          </Fact>
        )}
        {document.issuer_number !== document.number && document.issuer_number && (
          <Fact term="Their number">{document.issuer_number}</Fact>
        )}
        {Object.entries(document.external_refs).map(([name, value]) => (
          <Fact key={name} term={wordsOf(name).replace(/ ref$/, ' reference')}>
            {value}
          </Fact>
        ))}
        {document.references.map(({ rel, document_id }) => (
          <Fact key={rel + document_id} term={wordsOf(rel)}>
            <ReferenceLink org={org} id={document_id} />
          </Fact>
        ))}
        <Fact term="Created by">{document.origin === 'api' ? 'A key' : 'A person'}</Fact>
        <Fact term="Revision">{document.revision}</Fact>
      </dl>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2.5">
        <CopyText text={document.id} label="the id" />
        <CopyText text={addressOf(org, document)} label="link" shown="Copy link" />
        <CopyText
          text={curlOf({ url: `/v1/documents/${document.id}` })}
          label="as curl"
          shown="Copy as curl"
        />
      </div>
      <div data-print="no" className="flex flex-wrap gap-2 border-t border-line px-4 py-3">
        <Button aria-expanded={pdf.isShown} aria-controls={pdf.id} onClick={pdf.toggle}>
          {pdf.isShown ? 'Hide PDF' : 'Show PDF'}
        </Button>
        <DownloadButton
          path={`/v1/documents/${document.id}/render`}
          query={{ format: 'pdf' }}
          filename={`${document.number ?? 'draft'}.pdf`}
        >
          Download PDF
        </DownloadButton>
        <Button onClick={() => print()}>Print…</Button>
        <ViewAsCounterparty document={document} sides={sides} />
      </div>
    </Panel>
  )
}

/** Its number as this side knows it; a record that is not readable here has only its link. */
const ReferenceLink = ({ org, id }: { org: string; id: string }) => {
  const { data } = useRead<DocumentRecord>(`/v1/documents/${id}`)
  return (
    <Link
      to="/o/$org/documents/$document"
      params={{ org, document: id }}
      className="text-accent underline"
    >
      <Sentence text={data === undefined ? 'Open' : titleOf(data)} />
    </Link>
  )
}

/** Without the filters of the list that one came from. */
const addressOf = (org: string, { id }: DocumentRecord): string =>
  `${location.origin}/app/o/${org}/documents/${id}`

export const PaymentPanel = ({ document }: { document: DocumentRecord }) => {
  const { payment, currency } = document
  if (payment === null) return null
  return (
    <Panel title="Payment" aside={<StatusMark status={payment.status} />}>
      <dl className="px-4 py-2">
        <Fact term="Amount">
          <Money amount={payment.amount} currency={currency} />
        </Fact>
        <Fact term="Method">{methodText(payment.method)}</Fact>
        {payment.scheduled_for && (
          <Fact term="On">
            <DateText date={payment.scheduled_for} />
          </Fact>
        )}
        {payment.settled_at && (
          <Fact term="Settled">
            <Time at={payment.settled_at} />
          </Fact>
        )}
        {payment.settlement_reference && (
          <Fact term="Reference">
            <span className="break-all">{payment.settlement_reference}</span>
          </Fact>
        )}
      </dl>
      {payment.failure && (
        <p className="border-t border-line px-4 py-2.5 text-red">{payment.failure.message}</p>
      )}
    </Panel>
  )
}
