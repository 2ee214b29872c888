/** What one does with an endpoint. What cannot be undone, or stops deliveries, is asked about first. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import type { PingResult, Webhook, WebhookWithSecret } from '../api/types.ts'
import { type Write, useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { SecretDialog, signsWithIt } from '../keys/secret-dialog.tsx'
import RecoverDialog from './recover-dialog.tsx'
import { part } from '../design/part.tsx'

const EditEndpointDialog = part(async () => ({
  default: (await import('./endpoint-dialog.tsx')).EditEndpointDialog,
}))
const SampleDialog = part(() => import('./sample-dialog.tsx'))

interface Question {
  title: string
  lead: string
  verb: string
  isDanger: boolean
  write: (path: string) => Write
}

const questions = {
  rotate: {
    title: 'Rotate the secret',
    lead: 'A new secret signs from now on. The old one signs beside it for 24 hours, so that receivers can change over.',
    verb: 'Rotate the secret',
    isDanger: false,
    write: (path) => ({ path: `${path}/rotate_secret` }),
  },
  disable: {
    title: 'Disable the endpoint',
    lead: 'Nothing is sent to it until it is enabled. What it misses can be recovered for 30 days.',
    verb: 'Disable',
    isDanger: true,
    write: (path) => ({ method: 'PATCH', path, body: { status: 'DISABLED' } }),
  },
  remove: {
    title: 'Delete the endpoint',
    lead: 'Its deliveries and its secret are gone. This cannot be undone.',
    verb: 'Delete',
    isDanger: true,
    write: (path) => ({ method: 'DELETE', path }),
  },
} as const satisfies Record<string, Question>

type Opened = keyof typeof questions | 'recover' | 'sample' | 'edit' | null

export const WebhookActions = ({ webhook }: { webhook: Webhook }) => {
  const path = `/v1/webhooks/${webhook.id}`
  const refusal = useAdminRefusal()
  const [opened, setOpened] = useState<Opened>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const ping = useWrite<PingResult>(({ body }) =>
    notify(
      body.response_status === null
        ? `The ping failed: ${body.error}`
        : `The endpoint answered ${body.response_status} in ${Math.round(body.duration_ms ?? 0)} ms`,
      { isBad: body.error !== null },
    ),
  )
  const enable = useWrite<Webhook>(() => notify('The endpoint is active'))
  const close = () => setOpened(null)
  const isActive = webhook.status === 'ACTIVE'
  const error = ping.error ?? enable.error
  return (
    <>
      <Button
        isWrite
        disabledReason={refusal ?? (ping.isPending ? 'Pinging' : undefined)}
        onClick={() => ping.mutate({ path: `${path}/ping` })}
      >
        {ping.isPending ? 'Pinging…' : 'Ping'}
      </Button>
      <Button
        isWrite
        disabledReason={refusal ?? (isActive ? undefined : 'Enable it first.')}
        onClick={() => setOpened('sample')}
      >
        Send a sample…
      </Button>
      <Button
        isWrite
        disabledReason={refusal ?? (isActive ? undefined : 'Enable it first.')}
        onClick={() => setOpened('recover')}
      >
        Recover…
      </Button>
      <Button isWrite disabledReason={refusal} onClick={() => setOpened('edit')}>
        Edit…
      </Button>
      <Button isWrite disabledReason={refusal} onClick={() => setOpened('rotate')}>
        Rotate secret…
      </Button>
      {isActive && (
        <Button isWrite disabledReason={refusal} onClick={() => setOpened('disable')}>
          Disable…
        </Button>
      )}
      <Button isWrite kind="quiet" disabledReason={refusal} onClick={() => setOpened('remove')}>
        Delete…
      </Button>
      {!isActive && (
        <EnableButtons
          enable={enable}
          {...{ path, refusal }}
          onRecover={() => setOpened('recover')}
        />
      )}
      {error && (
        <div className="w-full">
          <Refusal error={error} />
        </div>
      )}
      <OpenedDialog {...{ opened, webhook, path }} onSecret={setSecret} onClose={close} />
      {secret && (
        <SecretDialog
          title="Signing secret"
          secret={secret}
          lead={signsWithIt}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

interface EnableButtonsProps {
  enable: ReturnType<typeof useWrite<Webhook>>
  path: string
  refusal: string | undefined
  onRecover: () => void
}

/** What it has missed stays missed until it is asked for. */
const EnableButtons = ({ enable, path, refusal, onRecover }: EnableButtonsProps) => {
  const active = { method: 'PATCH', path, body: { status: 'ACTIVE' } } as const
  return (
    <>
      <Button isWrite disabledReason={refusal} onClick={() => enable.mutate(active)}>
        Enable
      </Button>
      <Button
        isWrite
        kind="primary"
        disabledReason={refusal}
        onClick={() => enable.mutate(active, { onSuccess: onRecover })}
      >
        Enable and recover…
      </Button>
    </>
  )
}

interface OpenedDialogProps {
  opened: Opened
  webhook: Webhook
  path: string
  onSecret: (secret: string | null) => void
  onClose: () => void
}

const OpenedDialog = ({ opened, webhook, path, onSecret, onClose }: OpenedDialogProps) => {
  if (opened === null) return null
  if (opened === 'recover') return <RecoverDialog {...{ webhook, path, onClose }} />
  if (opened === 'sample') return <SampleDialog {...{ webhook, path, onClose }} />
  if (opened === 'edit') return <EditEndpointDialog {...{ webhook, onClose }} />
  return <QuestionDialog name={opened} {...{ path, onSecret, onClose }} />
}

interface QuestionDialogProps {
  name: keyof typeof questions
  path: string
  onSecret: (secret: string | null) => void
  onClose: () => void
}

const QuestionDialog = ({ name, path, onSecret, onClose }: QuestionDialogProps) => {
  const org = useSession().organization.id
  const navigate = useNavigate()
  const { write: writeOf, ...texts } = questions[name]
  const write = useWrite<WebhookWithSecret>(({ body }) => {
    onClose()
    if (name === 'rotate') onSecret(body.secret)
    if (name === 'disable') notify('The endpoint is disabled')
    if (name === 'remove') void navigate({ to: '/o/$org/webhooks', params: { org } })
  })
  return (
    <FormDialog
      {...texts}
      write={write}
      onSubmit={() => write.mutate(writeOf(path))}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  )
}
