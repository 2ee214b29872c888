/** A call with the session of the person: chosen, filled in, sent, and copied for other clients. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ApiError, freshKey, responseTo } from '../api/call.ts'
import { useParties } from '../api/parties.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { CallFields } from './call-fields.tsx'
import {
  type OpenApi,
  type Operation,
  type ShellCall,
  bodyOf,
  isWrite,
  missingIn,
  operationsOf,
  pathOf,
  queryOf,
} from './operations.ts'
import { type Answer, AnswerPanel, answerOf } from './shell-answer.tsx'
import { snippets } from './snippets.ts'
import { copyText } from '../design/copy-text.ts'
import { SelectField } from '../design/select-field.tsx'

const ConfirmLiveWrite = lazyPart(() => import('./confirm-live-write.tsx'))

const ApiShell = () => {
  const read = useRead<OpenApi>('/v1/openapi.json', {}, { refetchEveryMs: false })
  return <Region read={read}>{(description) => <ShellForm description={description} />}</Region>
}

export default ApiShell

const ShellForm = ({ description }: { description: OpenApi }) => {
  const operations = useMemo(() => operationsOf(description), [description])
  const { call, choose, change } = useShellCall(operations)
  const { answer, problem, isSending, send } = useShell(call, change)
  const [isAsking, setIsAsking] = useState(false)
  const isLive = useSession().organization.mode === 'live'
  const submit = () =>
    isLive && isWrite(call.operation) && !call.isDry ? setIsAsking(true) : void send()
  const missing = missingIn(call)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 gap-y-4 @lg:grid-cols-2">
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4 @lg:sticky @lg:top-0"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <SelectField
          label="Operation"
          hint={call.operation.summary}
          options={operations.map(({ id }) => [id, id] as const)}
          value={call.operation.id}
          onChange={({ target }) => choose(target.value)}
        />
        <p className="font-mono text-xs break-all">
          {call.operation.method} {call.operation.path}
        </p>
        <CallFields call={call} onChange={change} />
        {problem && (
          <p role="alert" className="text-red">
            {problem}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            kind="primary"
            type="submit"
            disabledReason={
              isSending ? 'Sending' : missing[0] && `Fill in ${missing.join(' and ')} first.`
            }
          >
            {isSending ? 'Sending…' : 'Send'}
          </Button>
          <CopyButtons call={call} />
        </div>
      </form>
      {answer ? (
        <AnswerPanel answer={answer} />
      ) : (
        <p className="text-sm text-pretty text-muted">
          The call uses your session for this organization, and is logged like any other.
          {isLive
            ? ' This organization is live: you are asked before anything is written.'
            : ''}{' '}
          Operations that upload a file or never end are left out.
        </p>
      )}
      {isAsking && (
        <ConfirmLiveWrite
          call={call}
          onClose={() => setIsAsking(false)}
          onSend={() => {
            setIsAsking(false)
            void send()
          }}
        />
      )}
    </div>
  )
}

const CopyButtons = ({ call }: { call: ShellCall }) =>
  snippets.map(([title, textOf]) => (
    <Button
      key={title}
      icon="copy"
      aria-label={`Copy as ${title}`}
      onClick={() => {
        try {
          const text = textOf(call)
          void copyText(text, `Copied as ${title}`)
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error
          notify('The body is not JSON', { isBad: true })
        }
      }}
    >
      {title}
    </Button>
  ))

/** The examples of the description, with the ids that the page and the organization have. */
const useShellCall = (operations: readonly Operation[]) => {
  const connection = useParties().data?.find(({ isActive }) => isActive)?.id
  const callOf = (operation: Operation): ShellCall => ({
    operation,
    values: Object.fromEntries(
      operation.parameters.map(({ name, place, prefix }) => [
        name,
        place === 'path' ? (idOnPage(prefix) ?? '') : '',
      ]),
    ),
    body: (operation.body ?? '').replace(
      /"connection_id": "con_\w+"/,
      connection === undefined ? '$&' : `"connection_id": "${connection}"`,
    ),
    idempotencyKey: freshKey(),
    isDry: false,
  })
  const named = (id: string) => operations.find((one) => one.id === id) ?? operations[0]!
  const [call, setCall] = useState(() => callOf(named('me.get')))
  return {
    call,
    choose: (id: string) => setCall(callOf(named(id))),
    change: (more: Partial<ShellCall>) => setCall((now) => ({ ...now, ...more })),
  }
}

const idOnPage = (prefix: string | undefined): string | undefined =>
  (location.pathname + location.search).match(new RegExp(`\\b${prefix}_[0-9a-z]{26}\\b`))?.[0]

/** One Idempotency-Key is one intention: only a success ends it. */
const useShell = (call: ShellCall, change: (more: Partial<ShellCall>) => void) => {
  const cache = useQueryClient()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  const send = async () => {
    setProblem(null)
    setIsSending(true)
    const { operation, idempotencyKey, isDry } = call
    const start = performance.now()
    try {
      const response = await responseTo(operation.method, pathOf(call), {
        query: queryOf(call),
        body: bodyOf(call),
        idempotencyKey,
        dryRun: isDry,
      })
      const ms = Math.round(performance.now() - start)
      setAnswer(await answerOf(response, { ms, isDry }))
      if (!response.ok || isDry || !isWrite(operation)) return
      change({ idempotencyKey: freshKey() })
      void cache.invalidateQueries()
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setIsSending(false)
    }
  }
  return { answer, problem, isSending, send }
}

const problemText = (error: unknown): string => {
  if (error instanceof SyntaxError) return `The body is not JSON: ${error.message}`
  if (error instanceof ApiError) return error.explanation
  throw error
}
