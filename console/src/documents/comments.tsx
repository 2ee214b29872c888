/** Comments on a document, which only people and keys of the own organization see. */
import { useScopeRefusal } from '../api/permissions.ts'
import { useList } from '../api/reads.ts'
import type { DocumentComment, DocumentRecord } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { TextArea } from '../design/field.tsx'
import { Form } from '../design/form.tsx'
import { Ago } from '../design/format.tsx'
import { Panel, Refusal } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { useKeptText } from './kept-texts.ts'

export const Comments = ({ document }: { document: DocumentRecord }) => {
  const path = `/v1/documents/${document.id}/comments`
  const list = useList<DocumentComment>(path, { limit: 20 })
  const [text, type] = useKeptText(`${document.id} comment`)
  const write = useWrite<DocumentComment>(() => type(''))
  const refusal = useScopeRefusal('documents:write')
  const send = () => write.mutate({ path, body: { text } })
  return (
    <Panel title="Comments">
      <Form
        error={write.error}
        className="grid gap-3 px-4 py-3"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <TextArea
          label="New comment"
          param="/text"
          hint="Only your organization sees it. Ctrl and Enter send it."
          rows={2}
          maxLength={2_000}
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '')
              send()
          }}
        />
        <Button
          type="submit"
          className="justify-self-start"
          disabledReason={refusal ?? obstacleTo(text, write.isPending)}
        >
          Comment
        </Button>
        {write.error && <Refusal error={write.error} />}
      </Form>
      {list.error && list.rows === undefined && (
        <div className="px-4 pb-3">
          <Refusal error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )}
      {list.rows === undefined && !list.error && <Skeleton className="mx-4 mb-3 h-6" />}
      {list.rows !== undefined && list.rows.length > 0 && (
        <ol aria-label="Comments, newest first" className="border-t border-line">
          {list.rows.map((comment) => (
            <li key={comment.id} className="border-b border-line px-4 py-2.5 last:border-0">
              <p className="text-sm text-muted">
                <bdi className="font-medium text-ink">{comment.author.name}</bdi>
                {comment.author.kind === 'api_key' && ' (key)'} · <Ago at={comment.created_at} />
              </p>
              <p dir="auto" className="mt-0.5 break-words whitespace-pre-wrap">
                {comment.text}
              </p>
            </li>
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <p className="border-t border-line p-2 text-center">
          <Button kind="quiet" onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
    </Panel>
  )
}

const obstacleTo = (text: string, isSending: boolean): string | undefined => {
  if (isSending) return 'Sending'
  return text.trim() === '' ? 'Write something first.' : undefined
}
