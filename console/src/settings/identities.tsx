/** The identity providers with which the person signs in, beside the password. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { SignInMethods } from '../api/sign-in-methods.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Panel, Refusal } from '../design/layout.tsx'

interface Identity {
  provider: { id: string; name: string }
  email: string | null
}

const path = '/auth/identities'
const rarely = { refetchEveryMs: false } as const

/** Nothing where the deployment has no provider. */
export const Identities = () => {
  const methods = useRead<SignInMethods>('/auth/methods', {}, rarely)
  const own = useRead<{ data: Identity[] }>(path, {}, rarely)
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
  /** To connect, the browser goes to the provider. */
  const write = useWrite<{ url?: string }>(({ body: { url } }) => {
    if (url !== undefined) location.assign(url)
  })
  const act = () =>
    connected === undefined
      ? write.mutate({ path, body: { provider: id, to: `/o/${organization.id}/settings` } })
      : write.mutate({ method: 'DELETE', path: `${path}/${id}` })
  return (
    <div className="px-4 py-3">
      <p className="mb-3 text-muted">
        {connected === undefined
          ? `Connect ${name} to sign in with it.`
          : `You sign in with ${name}${connected.email === null ? '' : ` as ${connected.email}`}.`}
      </p>
      {write.error && <Refusal error={write.error} />}
      <Button onClick={act} disabledReason={write.isPending ? 'Sending' : undefined}>
        {connected === undefined ? `Connect ${name}` : `Disconnect ${name}`}
      </Button>
    </div>
  )
}
