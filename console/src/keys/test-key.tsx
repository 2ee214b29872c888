/** Makes the first call with a new key, from this browser. */
import { useMutation } from '@tanstack/react-query'
import { type ApiError, call } from '../api/call.ts'
import type { Caller } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Command } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'

export const TestKey = ({ secret }: { secret: string }) => {
  const attempt = useMutation<Caller, ApiError>({
    mutationFn: () => call<Caller>('GET', '/v1/me', { token: secret }),
  })
  return (
    <>
      <p className="mt-4 text-muted">Its first call, from your terminal or from here:</p>
      <Command>{`curl '${location.origin}/v1/me' -H 'Authorization: Bearer ${secret}'`}</Command>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          isWrite
          disabledReason={attempt.isPending ? 'Calling' : undefined}
          onClick={() => attempt.mutate()}
        >
          Test now
        </Button>
        <div role="status" className="min-w-0">
          {attempt.data && (
            <>
              <Status tone="good">200</Status>
              <p className="text-sm text-muted">
                {`Scopes: ${attempt.data.effective_scopes.join(', ')}`}
              </p>
            </>
          )}
          {attempt.error && <Failure error={attempt.error} />}
        </div>
      </div>
    </>
  )
}

const Failure = ({ error }: { error: ApiError }) => {
  const address = error.details['address'] as string | undefined
  return (
    <>
      <Status tone="bad">{`${error.status}: ${error.code}`}</Status>
      <p className="text-sm text-muted">
        {address === undefined
          ? error.explanation
          : `You call from ${address}, which is not in its allowed addresses.`}
      </p>
    </>
  )
}
