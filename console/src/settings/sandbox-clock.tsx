/** The clock of a sandbox, and moving it on. */
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import type { Clock } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import { Panel, Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'

export const SandboxClock = () => {
  const read = useRead<Clock>('/v1/sandbox/clock')
  const refusal = useScopeRefusal('documents:write')
  const write = useWrite<Clock>(({ body }) =>
    notify(`It is ${body.now.slice(0, 10)} in this sandbox`),
  )
  return (
    <Panel title="Sandbox clock">
      <div className="px-4 py-3">
        <Region read={read}>
          {({ now }) => (
            <p>
              <Time at={now} isExact />
            </p>
          )}
        </Region>
        <p className="mt-1 text-sm text-muted">
          Due dates, schedules and simulated payments follow it.
        </p>
        <div className="mt-3 flex flex-wrap gap-2">
          {[
            ['P1D', 'a day'],
            ['P7D', 'a week'],
            ['P30D', 'a month'],
          ].map(([advance_by, text]) => (
            <Button
              key={advance_by}
              isWrite
              icon="clock"
              disabledReason={refusal}
              onClick={() => write.mutate({ path: '/v1/sandbox/clock', body: { advance_by } })}
            >
              Advance {text}
            </Button>
          ))}
        </div>
        {write.error && (
          <div className="mt-3">
            <Refusal error={write.error} />
          </div>
        )}
      </div>
    </Panel>
  )
}
