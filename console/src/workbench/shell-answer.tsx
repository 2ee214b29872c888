/** What was answered to a call of the shell. */
import { ApiError } from '../api/call.ts'
import { toneOf } from '../developers/status-tone.ts'
import { Announced } from '../design/announcements.tsx'
import { IconButton } from '../design/button.tsx'
import { CopyText, Refusal } from '../design/layout.tsx'
import { copyText } from '../design/copy-text.ts'
import { Status } from '../design/status.tsx'
import { JsonText } from './json-text.tsx'

export interface Answer {
  status: number
  ms: number
  requestId: string | null
  /** The same request had succeeded before. */
  isReplay: boolean
  isDry: boolean
  /** The body: JSON in lines, or how much there is of something else. */
  text: string
  /** A refusal that asks who the person is. */
  refusal: ApiError | null
}

export const answerOf = async (
  response: Response,
  about: Pick<Answer, 'ms' | 'isDry'>,
): Promise<Answer> => {
  const { status, headers } = response
  const type = headers.get('content-type') ?? ''
  const isJson = type.includes('json')
  const bytes = await response.arrayBuffer()
  const raw = isJson || type.startsWith('text/') ? new TextDecoder().decode(bytes) : ''
  const body = isJson && raw !== '' ? JSON.parse(raw) : null
  const error = response.ok ? null : new ApiError(status, body?.error)
  return {
    ...about,
    status,
    requestId: headers.get('request-id'),
    isReplay: headers.get('idempotent-replay') === 'true',
    text: textOf(body, raw, `${bytes.byteLength} bytes of ${type}`),
    refusal: error?.isAboutSignIn === true ? error : null,
  }
}

const textOf = (body: unknown, raw: string, otherwise: string): string => {
  if (body !== null) return JSON.stringify(body, null, 2)
  return raw === '' ? otherwise : raw
}

export const AnswerPanel = ({ answer }: { answer: Answer }) => {
  const { status, ms, requestId, isReplay, isDry, text, refusal } = answer
  return (
    <section aria-label="Answer" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Announced className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Status tone={toneOf(status)}>{String(status)}</Status>
          <span className="text-sm text-muted">{ms} ms</span>
          {isDry && <span className="text-sm text-muted">Dry run: nothing has changed.</span>}
          {isReplay && <span className="text-sm text-muted">It had been done before.</span>}
        </Announced>
        {requestId && <CopyText text={requestId} label="the request id" />}
        <IconButton
          icon="copy"
          label="Copy the answer"
          className="ml-auto"
          onClick={() => void copyText(text)}
        />
      </div>
      {refusal && <Refusal error={refusal} />}
      <JsonText label="What was answered" text={text} />
    </section>
  )
}
