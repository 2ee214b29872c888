/**
 * What a new organization does first. Each step is found in its data; what no data can show is marked
 * by the person.
 */
import { useMutation } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { store, stored } from '../api/browser-storage.ts'
import { type ApiError, call } from '../api/call.ts'
import { type Organization, useSession } from '../api/session.ts'
import { Button, IconButton } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { Command, Panel, Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { useMarkStep } from './marked-steps.ts'
import { useStepFacts } from './step-facts.ts'
import { type StepText, stepsOf } from './step-texts.ts'
import { copyText } from '../design/copy-text.ts'

const route = getRouteApi('/o/$org/')

interface Step extends StepText {
  isDone: boolean
}

/** A list that has ended is not read again; each browser remembers for itself. */
const endedKey = (organization: string): string => `first-steps-ended ${organization}`

export const haveStepsEnded = (organization: string): boolean =>
  stored(endedKey(organization)) !== null

export const endSteps = (organization: string): void => void store(endedKey(organization), '1')

/** Undefined until all of them are known. */
export const useSteps = (): Step[] | undefined => {
  const { organization } = useSession()
  const facts = useStepFacts()
  return facts && stepsOf(organization).map((step) => ({ ...step, isDone: facts[step.fact] }))
}

export const FirstSteps = ({ steps, onEnd }: { steps: Step[]; onEnd: () => void }) => {
  const { mode } = useSession().organization
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Panel
      title="First steps"
      count={`${steps.filter(({ isDone }) => isDone).length} of ${steps.length}`}
      aside={
        <Button kind="quiet" className="-mr-3" onClick={onEnd}>
          Hide
        </Button>
      }
      className="mb-6"
    >
      <ol className="grid gap-x-6 p-2 @sm:grid-cols-2 @lg:grid-cols-3">
        {steps.map((step) => (
          <StepRow key={step.fact} step={step} isNext={step === next} />
        ))}
      </ol>
      {next && (
        <div className="border-t border-line px-4 py-3">
          <h3 className="text-sm text-muted">
            Next: <span className="font-medium text-ink">{next.title}</span>, here or from a shell
          </h3>
          <Command>{next.curl}</Command>
        </div>
      )}
      {mode === 'sandbox' && <GoLive />}
    </Panel>
  )
}

const StepRow = ({ step, isNext }: { step: Step; isNext: boolean }) => {
  const { org } = route.useParams()
  const markStep = useMarkStep()
  const { title, text, to, curl, isDone, mark } = step
  const copy = () => void copyText(curl)
  return (
    <li className={`flex items-start gap-1 ${isDone ? '@max-sm:hidden' : ''}`}>
      <div className="min-w-0 flex-1">
        <Link
          to={to}
          params={{ org }}
          search={{}}
          aria-current={isNext ? 'step' : undefined}
          className="flex gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover"
        >
          <Mark isDone={isDone} />
          <span className="min-w-0">
            <span className={`block font-medium ${isDone ? 'text-muted' : ''}`}>{title}</span>
            <span className="block text-sm text-muted">{isDone ? 'Done' : text}</span>
          </span>
        </Link>
        {mark && !isDone && (
          <Button
            kind="quiet"
            className="ml-5.5"
            aria-label={`I have done it: ${title}`}
            onClick={() => markStep(mark)}
          >
            I have done it
          </Button>
        )}
      </div>
      <IconButton icon="copy" label={`Copy the command: ${title}`} onClick={copy} />
    </li>
  )
}

const Mark = ({ isDone }: { isDone: boolean }) => (
  <span
    aria-hidden="true"
    className={`mt-0.5 grid size-4 shrink-0 place-items-center rounded-full ${isDone ? 'bg-green-tint text-green' : 'border border-faint'}`}
  >
    {isDone && <Icon name="check" className="size-3" />}
  </span>
)

/** Verification, a processor and a live key are steps of the live organization, which has its own list. */
const GoLive = () => {
  const navigate = useNavigate()
  const open = useMutation<Organization | undefined, ApiError>({
    mutationFn: async () => {
      const { organizations } = await call<{ organizations: Organization[] }>(
        'GET',
        '/auth/session',
      )
      return organizations.find(({ mode }) => mode === 'live')
    },
    onSuccess: (live) => {
      if (live === undefined)
        notify('You are in no live organization. Its owner can invite you.', { isBad: true })
      else void navigate({ to: '/o/$org', params: { org: live.id } })
    },
  })
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5">
      <p className="min-w-0 flex-1 basis-60 text-muted">
        Then go live: verification, a processor and a live key are steps of the live organization.
      </p>
      <Button isWrite onClick={() => open.mutate()}>
        Open the live organization
      </Button>
      {open.error && <Refusal error={open.error} />}
    </div>
  )
}
