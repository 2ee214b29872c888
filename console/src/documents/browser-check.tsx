/** Checks the proof of a document in this browser, with the published verifier. */
import { useState } from 'react'
import { ApiError, call, callForReply } from '../api/call.ts'
import type { LogKeys } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Time } from '../design/format.tsx'
import { CopyText, Fact, Panel, Refusal } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'
import type { CheckResult } from '../proof/check-bundle.ts'

type State =
  | { kind: 'idle' | 'checking' }
  | { kind: 'checked'; result: CheckResult; isOwnKey: boolean }
  | { kind: 'refused'; error: ApiError }

const checkHere = async (id: string, ownKey: string): Promise<CheckResult> => {
  const [{ checkBundle }, { bytes }, keys] = await Promise.all([
    import('../proof/check-bundle.ts'),
    callForReply('GET', `/v1/documents/${id}/export`),
    call<LogKeys>('GET', '/v1/log/keys'),
  ])
  return checkBundle(new Uint8Array(bytes), { keys, ownKey })
}

export const BrowserCheck = ({ id }: { id: string }) => {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [ownKey, setOwnKey] = useState('')
  const check = async () => {
    setState({ kind: 'checking' })
    const key = ownKey.trim()
    try {
      const result = await checkHere(id, key)
      setState({ kind: 'checked', result, isOwnKey: key !== '' })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setState({ kind: 'refused', error })
    }
  }
  return (
    <Panel title="Check it in this browser">
      <div className="grid gap-3 px-4 py-3">
        <p className="text-muted">
          Loads the bundle and verifies every hash and signature here, with the published verifier.
        </p>
        <TextField
          label="Key that you trust"
          hint="Optional: a line of the trust.json that you have kept. Without it, the keys that the service names now."
          value={ownKey}
          spellCheck={false}
          onChange={(event) => setOwnKey(event.target.value)}
        />
        <Button
          kind="primary"
          className="justify-self-start"
          disabledReason={state.kind === 'checking' ? 'Checking' : undefined}
          onClick={() => void check()}
        >
          Check now
        </Button>
        <div aria-live="polite">
          {state.kind === 'refused' && <Refusal error={state.error} />}
          {state.kind === 'checked' && <Outcome {...state} />}
        </div>
      </div>
    </Panel>
  )
}

const Outcome = ({ result, isOwnKey }: { result: CheckResult; isOwnKey: boolean }) => (
  <>
    {result.isValid ? (
      <Status tone="good">Valid</Status>
    ) : (
      <Status tone="bad">{`Invalid: ${result.check}`}</Status>
    )}
    <dl className="mt-2">
      {result.isValid ? (
        <>
          <Fact term="Steps proven">{result.events}</Fact>
          <Fact term="Complete as of">
            <Time at={result.complete} isExact />
          </Fact>
          <Fact term="Log">{result.origin}</Fact>
          <Fact term="Size">{result.size}</Fact>
          <Fact term="Vouched for by">{isOwnKey ? 'your key' : 'the key of the service'}</Fact>
        </>
      ) : (
        <Fact term="Why">{result.message}</Fact>
      )}
      <Fact term="SHA-256">
        <CopyText text={result.digest} label="the digest of the bundle" />
      </Fact>
    </dl>
  </>
)
