/** Endpoints that receive events, and how each of them fares. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { Webhook, WebhookWithSecret } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Ago } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { SecretDialog } from '../keys/secret-dialog.tsx'
import { LastDayOf } from './last-day.tsx'

const route = getRouteApi('/o/$org/webhooks')

const WebhooksPage = () => {
  const { org } = route.useParams()
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const refusal = useAdminRefusal()
  const create = (
    <Button kind="primary" icon="plus" disabledReason={refusal} onClick={() => setIsCreating(true)}>
      New endpoint
    </Button>
  )
  return (
    <ListPage<Webhook>
      title="Webhooks"
      lead="Each event is sent, signed, within moments; a failed delivery is tried six times in about eleven hours."
      actions={create}
      caption="Endpoints"
      path="/v1/webhooks"
      columns={columnsOf(org)}
      rowKey={({ id }) => id}
      onOpen={({ id: webhook }) =>
        void navigate({ to: '/o/$org/webhooks/$webhook', params: { org, webhook } })
      }
      empty={{
        title: 'No endpoints',
        text: 'Register an address, and it receives every event as the API shows it to you.',
        actions: create,
      }}
    >
      {isCreating && (
        <NewEndpointDialog
          onClose={() => setIsCreating(false)}
          onCreated={(shown) => {
            setIsCreating(false)
            setSecret(shown)
          }}
        />
      )}
      {secret && (
        <SecretDialog title="Signing secret" secret={secret} onClose={() => setSecret(null)} />
      )}
    </ListPage>
  )
}

export default WebhooksPage

const columnsOf = (org: string): Column<Webhook>[] => [
  {
    title: 'Address',
    cell: ({ id, url, description }) => (
      <>
        <Link
          to="/o/$org/webhooks/$webhook"
          params={{ org, webhook: id }}
          className="font-medium break-all"
        >
          {url}
        </Link>
        {description && <span className="block text-sm text-muted">{description}</span>}
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Last 24 hours', isWide: true, cell: ({ id }) => <LastDayOf webhook={id} /> },
  {
    title: 'Failures in a row',
    isWide: true,
    align: 'right',
    cell: ({ consecutive_failures: failures }) => (
      <span className={failures >= 10 ? 'text-red' : ''}>{failures} of 20</span>
    ),
  },
  {
    title: 'Last success',
    isWide: true,
    cell: ({ last_success_at }) => <Ago at={last_success_at} />,
  },
]

interface NewEndpointProps {
  onCreated: (secret: string | null) => void
  onClose: () => void
}

const NewEndpointDialog = ({ onCreated, onClose }: NewEndpointProps) => {
  const [url, setUrl] = useState('https://')
  const [description, setDescription] = useState('')
  const write = useWrite<WebhookWithSecret>(({ body }) => onCreated(body.secret))
  return (
    <FormDialog
      title="New endpoint"
      lead="It receives all events; narrow them later through the API."
      write={write}
      verb="Register"
      onSubmit={() =>
        write.mutate({
          path: '/v1/webhooks',
          body: { url, ...(description === '' ? {} : { description }) },
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="What receives them"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  )
}
