/** What one does with an endpoint. What cannot be undone, or stops deliveries, is asked about first. */
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { PingResult, Webhook } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import type { OpenedWebhook } from './webhook-dialogs.tsx'

const WebhookDialog = lazyPart(() => import('./webhook-dialogs.tsx'))

export const WebhookActions = ({ webhook }: { webhook: Webhook }) => {
  const path = `/v1/webhooks/${webhook.id}`
  const refusal = useAdminRefusal()
  const [opened, setOpened] = useState<OpenedWebhook | null>(null)
  const ping = useWrite<PingResult>(({ body }) =>
    notify(
      body.response_status === null
        ? `The ping failed: ${body.error}`
        : `The endpoint answered ${body.response_status} in ${Math.round(body.duration_ms ?? 0)} ms`,
      { isBad: body.error !== null },
    ),
  )
  const enable = useWrite<Webhook>(() => notify('The endpoint is active'))
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
          path={path}
          refusal={refusal}
          onRecover={() => setOpened('recover')}
        />
      )}
      {error && (
        <div className="w-full">
          <Refusal error={error} />
        </div>
      )}
      {opened && (
        <WebhookDialog
          opened={opened}
          webhook={webhook}
          path={path}
          onOpen={setOpened}
          onClose={() => setOpened(null)}
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
