/** A new document, or a draft to edit. The service adds it up as one types, and nothing is stored. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ClipboardEvent, useCallback, useEffect, useMemo, useState } from 'react'
import { useConnected } from '../api/parties.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import { useDryRun } from '../api/dry-run.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { TextArea, TextField } from '../design/field.tsx'
import { Form } from '../design/form.tsx'
import { Empty, Page, Panel, Refusal } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'
import { ConnectionFields, useConnectionChoice } from './connection-fields.tsx'
import { titleOf } from './document-names.ts'
import { type Draft, bodyOf, draftOf, emptyDraft, linesFromTable } from './draft.ts'
import { ChangedMeanwhile, NoDraftAnyMore } from './changed-meanwhile.tsx'
import { detailLabels } from './draft-differences.ts'
import { DraftLines, type EditLines } from './draft-lines.tsx'
import { KeptNotice, type StoredDraft, useFormDraft } from './kept-draft.tsx'
import { useNewestDraft } from './newest-draft.ts'
import { Totals } from './totals.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

const newRoute = getRouteApi('/o/$org/documents/new')
const editRoute = getRouteApi('/o/$org/documents/$document/edit')

export const NewDraftPage = () => {
  const { org } = newRoute.useParams()
  const { data } = useConnected()
  if (data?.parties.length === 0) return <NoPartner org={org} />
  return <DraftForm org={org} title="New document" />
}

const NoPartner = ({ org }: { org: string }) => (
  <Page title="New document">
    <Panel>
      <Empty
        title="Connect a partner first"
        actions={
          <Link to="/o/$org/connections" params={{ org }} className={buttonClass('primary')}>
            Connections
          </Link>
        }
      >
        A document goes to a connected organization. Invite a supplier or a customer, or accept an
        invitation.
      </Empty>
    </Panel>
  </Page>
)

export const EditDraftPage = () => {
  const { org, document: id } = editRoute.useParams()
  const read = useRead<DocumentRecord>(`/v1/documents/${id}`, {}, { refetchEveryMs: false })
  if (read.data === undefined)
    return (
      <Page title="Edit">
        {read.error ? <Refusal error={read.error} /> : <Skeleton className="h-96" />}
      </Page>
    )
  return <DraftForm key={id} org={org} title={`Edit ${titleOf(read.data)}`} document={read.data} />
}

interface DraftFormProps {
  org: string
  title: string
  document?: DocumentRecord
}

const types = [
  ['invoice', 'Invoice'],
  ['quote', 'Quote'],
  ['purchase_order', 'Purchase order'],
  ['contract', 'Contract'],
  ['delivery_note', 'Delivery note'],
  ['goods_receipt', 'Goods receipt'],
  ['statement', 'Statement'],
] as const

/** Made from the invoice that it credits. */
const creditNote = [['credit_note', 'Credit note']] as const

const DraftForm = ({ org, title, document }: DraftFormProps) => {
  const navigate = useNavigate()
  const user = useSession().user.id
  const newest = useMemo(() => storedOf(document), [document])
  const form = useFormDraft({ user, organization: org, document: document?.id ?? 'new' }, newest)
  const { draft, setDraft } = form
  const isDraft = document === undefined || document.status === 'draft'
  const choice = useConnectionChoice(document, draft.connection)
  const connection = draft.connection || (choice.options[0]?.[0] ?? '')
  const refusal = useScopeRefusal('documents:write')
  const change = (more: Partial<Draft>) => setDraft({ ...draft, ...more })
  const editLines = useCallback<EditLines>(
    (edit) => setDraft((now) => ({ ...now, lines: edit(now.lines) })),
    [setDraft],
  )
  /** What somebody else saves meanwhile is not overwritten: an older revision is refused. */
  const requestOver = (revision: number | null, entries = draft) => ({
    ...requestOf(document?.id, revision),
    body: bodyOf({ ...entries, connection }, document !== undefined),
  })
  const request = requestOver(newest.revision)
  // A line that is being typed has no price yet, which is nothing to complain about.
  const hasLines =
    request.body.line_items.length > 0 &&
    draft.lines.every(({ description, unitPrice }) => description === '' || unitPrice !== '')
  const dryRun = useDryRun<DocumentRecord>(
    request,
    connection !== '' && hasLines && refusal === undefined && isDraft,
  )
  // Nobody has entered what was kept just now: what is wrong with it is said once they send it.
  const [hasTried, setHasTried] = useState(false)
  const isQuiet = form.isRestored && !hasTried
  const write = useWrite<DocumentRecord>(({ body }) => {
    form.finish()
    notify(`${titleOf(body)} is saved`)
    void navigate({
      to: '/o/$org/documents/$document',
      params: { org, document: body.id },
      search: {},
    })
  })
  // Until its page is there, what is saved could otherwise be saved once more.
  const isSaving = write.isPending || write.isSuccess
  const isPassed = write.error?.status === 412
  // From the next key on, the dry run says what is wrong.
  useEffect(() => {
    if (isPassed || (write.error !== null && write.error.problems.length > 0)) write.reset()
  }, [draft])
  const found = useNewestDraft(form, newest, isSaving)
  const clash = isDraft ? found : undefined
  // What has happened to the draft is said above the form, with what can be done about it.
  const isSaidAbove = isPassed && (clash !== undefined || !isDraft)
  const foreseen = isQuiet || dryRun.error?.status === 412 ? null : dryRun.error
  const refused = isSaidAbove ? null : (write.error ?? foreseen)
  const obstacle = clash ? 'Choose above whose version to keep.' : undefined
  const nobody = choice.search && connection === '' ? 'Choose a connection.' : undefined
  const saveRefusal = isSaving
    ? 'Sending'
    : isDraft
      ? (obstacle ?? nobody)
      : 'It is no longer a draft.'
  const field = (name: 'terms' | 'reference' | 'notes' | 'date') => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  })
  const paste = (event: ClipboardEvent) => {
    const lines = linesFromTable(event.clipboardData.getData('text/plain'))
    if (lines.length === 0) return
    event.preventDefault()
    editLines((now) => [...now.filter(({ description }) => description !== ''), ...lines])
    notify(`${lines.length} lines pasted`)
  }
  return (
    <Page
      title={title}
      lead="Only you see a draft. The service works out the totals, and rounds the tax once for each rate."
      back={
        <Link to="/o/$org/documents" params={{ org }} search={{}} className="hover:text-ink">
          Documents
        </Link>
      }
    >
      <UnsavedGuard isChanged={form.isChanged} isKept={form.isKept} />
      {form.notice && <KeptNotice {...form.notice} />}
      {!isDraft && !isSaving && <NoDraftAnyMore org={org} id={document.id} isRefused={isPassed} />}
      {clash && (
        <ChangedMeanwhile
          differences={clash.differences}
          isRefused={isPassed}
          isSaving={isSaving}
          onUseTheirs={() => {
            write.reset()
            form.goOnFrom(newest, clash.theirs)
          }}
          onKeepMine={() => {
            form.goOnFrom(newest, clash.mine)
            write.mutate(requestOver(newest.revision, clash.mine))
          }}
        />
      )}
      <Form
        error={refused}
        className="grid items-start gap-6 @lg:grid-cols-[minmax(0,1fr)_20rem]"
        onPaste={paste}
        onSubmit={(event) => {
          event.preventDefault()
          setHasTried(true)
          write.mutate(requestOver(form.base.revision))
        }}
      >
        <div className="grid min-w-0 gap-6">
          <Panel title="Details">
            <div className="grid gap-4 p-4 @sm:grid-cols-2">
              <SelectField
                label="Kind"
                param="/document_type"
                options={document?.document_type === 'credit_note' ? creditNote : types}
                value={draft.type}
                disabled={document !== undefined}
                onChange={(event) => change({ type: event.target.value as Draft['type'] })}
              />
              <ConnectionFields
                {...choice}
                value={connection}
                isDisabled={document !== undefined}
                onChange={(id) => change({ connection: id })}
              />
              <TextField
                label={detailLabels.terms}
                param={['/payment_terms', '/due_date']}
                hint="Net 30, EOM or 2/10 net 30. Leave empty for the terms of the connection."
                {...field('terms')}
              />
              <TextField
                label={detailLabels.date}
                param="/document_date"
                type="date"
                hint="Leave empty for the day of issue."
                {...field('date')}
              />
              <TextField
                label={detailLabels.reference}
                param="/external_refs"
                hint="Both sides see it, and search finds it."
                {...field('reference')}
              />
            </div>
          </Panel>
          <Panel
            title="Lines"
            aside={<span className="text-sm text-muted">Paste rows from a spreadsheet</span>}
          >
            <DraftLines lines={draft.lines} onEdit={editLines} />
          </Panel>
          <Panel className="p-4">
            <TextArea
              label={detailLabels.notes}
              param="/notes"
              hint="Both sides can read them."
              {...field('notes')}
            />
          </Panel>
        </div>
        <div className="sticky top-10 grid gap-4">
          <Panel title="Totals">
            {dryRun.data ? (
              <Totals document={dryRun.data.body} />
            ) : (
              <p className="px-4 py-6 text-muted">
                {dryRun.error && isQuiet
                  ? 'These lines cannot be totalled yet. Save the draft to see why.'
                  : 'Enter a line to see the totals.'}
              </p>
            )}
          </Panel>
          {refused && <Refusal error={refused} />}
          <Button kind="primary" type="submit" disabledReason={refusal ?? saveRefusal}>
            {isSaving ? 'Saving…' : 'Save draft'}
          </Button>
        </div>
      </Form>
    </Page>
  )
}

const storedOf = (document: DocumentRecord | undefined): StoredDraft => ({
  revision: document?.revision ?? null,
  draft: document === undefined ? emptyDraft : draftOf(document),
})

const requestOf = (id: string | undefined, revision: number | null) =>
  id === undefined || revision === null
    ? ({ method: 'POST', path: '/v1/documents' } as const)
    : ({ method: 'PATCH', path: `/v1/documents/${id}`, ifMatch: revision } as const)
