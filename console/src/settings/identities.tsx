/** The identity providers with which the person signs in, beside the password. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.ts'
import { signInMethods } from '../api/sign-in-methods.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Panel, Refusal } from '../design/layout.tsx'

interface Identity {
  provider: { id: string; name: string }
  email: string | null
}

const path = '/auth/identities'

/** Nothing where the deployment has no provider. */
export const Identities = () => {
  const methods = useQuery({ queryKey: ['sign-in-methods'], queryFn: signInMethods })
  const own = useQuery({ queryKey: [path], queryFn: () => call<{ data: Identity[] }>('GET', path) })
  const providers = methods.data?.oidc ?? []
  if (providers.length === 0 || own.data === undefined) return null
  return (
    <Panel title="Sign-in elsewhere">
      {providers.map((provider) => (
        <Provider
          key={provider.id}
          {...provider}
          connected={own.data.data.find((one) => one.provider.id === provider.id)}
        />
      ))}
    </Panel>
  )
}

interface ProviderProps {
  id: string
  name: string
  connected: Identity | undefined
}

const Provider = ({ id, name, connected }: ProviderProps) => {
  const { organization } = useSession()
  const write = useWrite<{ url?: string }>()
  const connect = async () => {
    const body = { provider: id, to: `/o/${organization.id}/settings` }
    const begun = await write.mutateAsync({ method: 'POST', path, body })
    location.assign(begun.body.url!)
  }
  const disconnect = () => write.mutateAsync({ method: 'DELETE', path: `${path}/${id}` })
  // What was refused is shown.
  const act = () => void (connected === undefined ? connect() : disconnect()).catch(() => undefined)
  return (
    <div className="px-4 py-3">
      <p className="mb-3 text-muted">
        {connected === undefined
          ? `Connect ${name} to sign in with it.`
          : `You sign in with ${name}${connected.email === null ? '' : ` as ${connected.email}`}.`}
      </p>
      {write.error && <Refusal error={write.error} />}
      <Button onClick={act}>
        {connected === undefined ? `Connect ${name}` : `Disconnect ${name}`}
      </Button>
    </div>
  )
}
