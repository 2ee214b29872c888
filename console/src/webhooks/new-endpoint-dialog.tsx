/** A new endpoint, and the secret that signs what it receives: loaded together, see keys/key-dialogs. */
import type { WebhookCreate, WebhookWithSecret } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { SecretDialog, signsWithIt, useSecretUnderWay } from '../keys/secret-dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'

interface NewEndpointProps {
  created: 'new' | { secret: string }
  onCreated: (created: { secret: string } | null) => void
  onClose: () => void
}

const NewEndpointDialog = ({ created, onCreated, onClose }: NewEndpointProps) =>
  created === 'new' ? (
    <NewEndpointForm onCreated={onCreated} onClose={onClose} />
  ) : (
    <SecretDialog
      title="Signing secret"
      secret={created.secret}
      lead={signsWithIt}
      onClose={onClose}
    />
  )

export default NewEndpointDialog

const unnamed: WebhookCreate = { url: 'https://', events: [], description: null }

const NewEndpointForm = ({ onCreated, onClose }: Omit<NewEndpointProps, 'created'>) => {
  const write = useWrite<WebhookWithSecret>(({ body: { secret } }) =>
    onCreated(secret === null ? null : { secret }),
  )
  useSecretUnderWay(write.isPending)
  return (
    <EndpointForm
      title="New endpoint"
      lead="It receives the events that are committed from now on."
      verb="Register"
      initial={unnamed}
      write={write}
      onSend={(body) => write.mutate({ path: '/v1/webhooks', body })}
      onClose={onClose}
    />
  )
}
