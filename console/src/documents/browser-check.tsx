/** Checks the proof of a document in this browser, with the published verifier. */
import { useRef, useState } from 'react'
import { ApiError, call, callForReply } from '../api/call.ts'
import type { LogKeys } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Time } from '../design/format.tsx'
import { CopyText, Fact, Panel, Refusal } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'
import type { CheckResult } from '../proof/check-bundle.ts'
import { checkText } from '../proof/check-texts.ts'
import { useMarkStep } from '../home/marked-steps.ts'
import { type BrowserFinding, couldNotCheck } from './history-badge.tsx'

type State =
  | { kind: 'idle' | 'checking' }
  | { kind: 'checked'; result: CheckResult; isOwnKey: boolean }
  | { kind: 'refused'; error: ApiError }

const checkHere = async (bundle: Promise<ArrayBuffer>, ownKey: string): Promise<CheckResult> => {
  const [{ checkBundle }, bytes, keys] = await Promise.all([
    import('../proof/check-bundle.ts').catch(() => {
      throw new ApiError(0, undefined)
    }),
    bundle,
    // With a key of their own, a person checks a file without asking the service.
    ownKey === '' ? call<LogKeys>('GET', '/v1/log/keys') : undefined,
  ])
  return checkBundle(new Uint8Array(bytes), { keys, ownKey })
}

interface BrowserCheckProps {
  id: string
  /** Only about the bundle that is served: a file may be of another document. */
  onFinding: (finding: BrowserFinding) => void
}

export const BrowserCheck = ({ id, onFinding }: BrowserCheckProps) => {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [ownKey, setOwnKey] = useState('')
  const file = useRef<HTMLInputElement>(null)
  const markStep = useMarkStep()
  const check = async (bundle: Promise<ArrayBuffer>): Promise<BrowserFinding> => {
    setState({ kind: 'checking' })
    const key = ownKey.trim()
    try {
      const result = await checkHere(bundle, key)
      setState({ kind: 'checked', result, isOwnKey: key !== '' })
      if (result.isValid) markStep('proof_verified')
      return result.isValid ? 'intact' : 'broken'
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setState({ kind: 'refused', error })
      return error.code === 'integrity_failure' ? 'broken' : 'unknown'
    }
  }
  const checkServed = async () => {
    onFinding('checking')
    const served = callForReply('GET', `/v1/documents/${id}/export`)
    onFinding(await check(served.then(({ bytes }) => bytes)))
  }
  return (
    <Panel title="Check it in this browser">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3">
        <p className="text-muted">
          Checks every step and signature here, with the published verifier: of the proof as it is
          served now, or of a file that you have kept.
        </p>
        <TextField
          label="Key that you trust"
          hint="Optional: a line of the trust.json that you have kept. Without it, the check trusts the keys that the service names now."
          value={ownKey}
          spellCheck={false}
          onChange={(event) => setOwnKey(event.target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            kind="primary"
            disabledReason={state.kind === 'checking' ? 'Checking' : undefined}
            onClick={() => void checkServed()}
          >
            Check now
          </Button>
          <input
            ref={file}
            type="file"
            accept="application/json"
            className="sr-only"
            aria-label="Bundle to check"
            tabIndex={-1}
            onChange={({ target }) => {
              const [chosen] = target.files ?? []
              if (chosen !== undefined) void check(chosen.arrayBuffer())
              target.value = ''
            }}
          />
          <Button onClick={() => file.current?.click()}>Check a file…</Button>
        </div>
        <div aria-live="polite">
          {state.kind === 'refused' && <Unchecked error={state.error} />}
          {state.kind === 'checked' && <Outcome {...state} />}
        </div>
      </div>
    </Panel>
  )
}

/** Nothing was found: that is no finding about the history. */
const Unchecked = ({ error }: { error: ApiError }) =>
  error.status === 0 ? (
    <>
      <Status tone="neutral">{couldNotCheck(error)}</Status>
      <p className="mt-1 text-muted">
        The proof or the keys of the log could not be read, so nothing was checked: this says
        nothing about the history. A file that you have kept needs no service, with a key that you
        trust.
      </p>
    </>
  ) : (
    <Refusal error={error} />
  )

const Outcome = ({ result, isOwnKey }: { result: CheckResult; isOwnKey: boolean }) => (
  <>
    {result.isValid ? (
      <Status tone="good">Valid</Status>
    ) : (
      <div role="alert">
        <Status tone="bad">
          {result.seq === undefined ? 'Invalid' : `Invalid at entry ${result.seq}`}
        </Status>
        <p className="mt-1">{checkText(result.check)}</p>
        <p className="text-sm break-words text-muted">
          <code className="font-mono text-xs">{result.check}</code>: {result.message}
        </p>
      </div>
    )}
    <dl className="mt-2">
      {result.isValid && (
        <>
          <Fact term="Steps proven">{result.events}</Fact>
          <Fact term="Complete as of">
            <Time at={result.complete} isExact />
          </Fact>
          <Fact term="Log">{result.origin}</Fact>
          <Fact term="Entries in the log">{result.size}</Fact>
          <Fact term="Vouched for by">{isOwnKey ? 'your key' : 'the key of the service'}</Fact>
        </>
      )}
      <Fact term="SHA-256">
        <CopyText text={result.digest} label="the digest of the proof" />
      </Fact>
    </dl>
  </>
)
