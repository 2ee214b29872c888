/**
 * The dialogs of an endpoint, with its new secret: loaded together, see keys/key-dialogs.
 */
import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import type { Webhook, WebhookWithSecret } from '../api/types.ts'
import { type Write, useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'
import { SecretDialog, signsWithIt, useSecretUnderWay } from '../keys/secret-dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { RecoverDialog } from './recover-dialog.tsx'
import { SampleDialog } from './sample-dialog.tsx'

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

export type OpenedWebhook =
  | keyof typeof questions
  | 'recover'
  | 'sample'
  | 'edit'
  | { secret: string }

interface WebhookDialogProps {
  opened: OpenedWebhook
  webhook: Webhook
  path: string
  onOpen: (opened: OpenedWebhook) => void
  onClose: () => void
}

const WebhookDialog = ({ opened, webhook, path, onOpen, onClose }: WebhookDialogProps) => {
  if (opened === 'recover') return <RecoverDialog webhook={webhook} path={path} onClose={onClose} />
  if (opened === 'sample') return <SampleDialog webhook={webhook} path={path} onClose={onClose} />
  if (opened === 'edit') return <EditEndpointDialog webhook={webhook} onClose={onClose} />
  if (typeof opened === 'string')
    return <QuestionDialog name={opened} path={path} onOpen={onOpen} onClose={onClose} />
  return (
    <SecretDialog
      title="Signing secret"
      secret={opened.secret}
      lead={signsWithIt}
      onClose={onClose}
    />
  )
}

export default WebhookDialog

interface EditEndpointProps {
  webhook: Webhook
  onClose: () => void
}

const EditEndpointDialog = ({ webhook, onClose }: EditEndpointProps) => {
  const { id, url, events, description } = webhook
  const write = useWrite<Webhook>(() => {
    notify('The endpoint is changed')
    onClose()
  })
  return (
    <EndpointForm
      title="Edit the endpoint"
      lead="Pending deliveries go to the new address, signed with the same secret."
      verb="Save"
      initial={{ url, events, description }}
      write={write}
      onSend={(body) => write.mutate({ method: 'PATCH', path: `/v1/webhooks/${id}`, body })}
      onClose={onClose}
    />
  )
}

interface QuestionDialogProps {
  name: keyof typeof questions
  path: string
  onOpen: WebhookDialogProps['onOpen']
  onClose: () => void
}

const QuestionDialog = ({ name, path, onOpen, onClose }: QuestionDialogProps) => {
  const org = useSession().organization.id
  const navigate = useNavigate()
  const { write: writeOf, ...texts } = questions[name]
  const write = useWrite<WebhookWithSecret>(({ body }) => {
    onClose()
    if (name === 'rotate' && body.secret !== null) onOpen({ secret: body.secret })
    if (name === 'disable') notify('The endpoint is disabled')
    if (name === 'remove') void navigate({ to: '/o/$org/webhooks', params: { org } })
  })
  useSecretUnderWay(name === 'rotate' && write.isPending)
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
