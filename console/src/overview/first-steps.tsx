/** What a new organization does first. Each step is found in its data, and none is ticked by hand. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useParties } from '../api/parties.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord, Key, Page as Rows, Payment, Webhook } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { Panel } from '../design/layout.tsx'

const route = getRouteApi('/o/$org/')

interface Step {
  title: string
  text: string
  to: '/o/$org/keys' | '/o/$org/documents' | '/o/$org/webhooks' | '/o/$org/connections'
  isDone: boolean
}

/** A list that has ended is not read again; each browser remembers for itself. */
const endedKey = (organization: string): string => `first-steps-ended ${organization}`

const FirstSteps = () => {
  const { organization } = useSession()
  const key = endedKey(organization.id)
  const [hasEnded, setHasEnded] = useState(localStorage.getItem(key) !== null)
  if (hasEnded) return null
  const end = () => {
    localStorage.setItem(key, '1')
    setHasEnded(true)
  }
  return <Steps onEnd={end} />
}

export default FirstSteps

const Steps = ({ onEnd }: { onEnd: () => void }) => {
  const { org } = route.useParams()
  const steps = useSteps()
  const isOver = steps?.every(({ isDone }) => isDone) === true
  useEffect(() => {
    if (isOver) onEnd()
  }, [isOver, onEnd])
  if (steps === undefined || isOver) return null
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
      <ol className="grid gap-x-6 p-2 @sm:grid-cols-2 @lg:grid-cols-4">
        {steps.map(({ title, text, to, isDone }) => (
          <li key={title} className={isDone ? '@max-sm:hidden' : ''}>
            <Link
              to={to}
              params={{ org }}
              search={{}}
              aria-current={title === next?.title ? 'step' : undefined}
              className="flex gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover"
            >
              <Mark isDone={isDone} />
              <span className="min-w-0">
                <span className={`block font-medium ${isDone ? 'text-muted' : ''}`}>{title}</span>
                <span className="block text-sm text-muted">{isDone ? 'Done' : text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
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

const issued = { direction: 'issued', limit: 1, fields: 'id' }

/** Undefined until all of it is known. */
const useSteps = (): Step[] | undefined => {
  const { mode } = useSession().organization
  const parties = useParties().data
  const keys = useRead<Rows<Key>>('/v1/keys', { limit: 100 }).data?.data
  const webhooks = useRead<Rows<Webhook>>('/v1/webhooks', { limit: 100 }).data?.data
  const agreed = useRead<Rows<DocumentRecord>>('/v1/documents', {
    ...issued,
    phase: 'accepted,paying,settled',
  }).data?.data
  // What was agreed was sent.
  const others = useRead<Rows<DocumentRecord>>(
    '/v1/documents',
    { ...issued, phase: 'pending,disputed,closed' },
    { isEnabled: agreed?.length === 0 },
  ).data?.data
  const sent = agreed?.length === 0 ? others : agreed
  const settled = useRead<Rows<Payment>>('/v1/payments', { status: 'settled', limit: 1 }).data?.data
  if (!parties || !keys || !webhooks || !sent || !agreed || !settled) return undefined
  const partnersOwn = mode === 'sandbox' ? 1 : 0
  return [
    {
      title: 'Make a key',
      text: 'With it your programs call the API.',
      to: '/o/$org/keys',
      isDone: keys.length > 0,
    },
    {
      title: 'Make the first call',
      text: 'A new key shows the curl for it.',
      to: '/o/$org/keys',
      isDone: keys.some(({ last_used_at }) => last_used_at !== null),
    },
    {
      title: 'Issue an invoice',
      text: 'Both sides read one record.',
      to: '/o/$org/documents',
      isDone: sent.length > 0,
    },
    {
      title: 'See it approved',
      text: mode === 'sandbox' ? 'The demo counterparty answers.' : 'The other side decides.',
      to: '/o/$org/documents',
      isDone: agreed.length > 0,
    },
    {
      title: 'Pay or be paid',
      text: mode === 'sandbox' ? 'Simulated, in seconds.' : 'Once it is approved.',
      to: '/o/$org/documents',
      isDone: settled.length > 0,
    },
    {
      title: 'Receive a webhook',
      text: 'Register an endpoint, and ping it.',
      to: '/o/$org/webhooks',
      isDone: webhooks.some(({ last_success_at }) => last_success_at !== null),
    },
    {
      title: 'Connect a partner',
      text: 'Invite them by e-mail.',
      to: '/o/$org/connections',
      isDone: parties.filter(({ isActive }) => isActive).length > partnersOwn,
    },
  ]
}
