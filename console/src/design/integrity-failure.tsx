/** A record that does not match its proofs: which entry, and what that means. */
import type { ApiError } from '../api/call.ts'
import { checkText } from '../proof/check-texts.ts'
import { CopyText, Fact } from './layout.tsx'
import { Icon } from './icon.tsx'

interface Failure {
  check: string
  seq?: number
  slot?: string
}

const placeOf = ({ seq, slot }: Failure): string => {
  if (seq === undefined) return 'The whole record'
  return slot === undefined ? `Entry ${seq}` : `Entry ${seq}, ${slot} part`
}

const IntegrityFailure = ({ error }: { error: ApiError }) => {
  const failures = (error.details['failures'] as Failure[] | undefined) ?? []
  const lastVerified = error.details['last_verified_seq'] as number | undefined
  const incident = error.details['incident_id'] as string | undefined
  return (
    <div role="alert" className="rounded-md border border-red bg-red-tint p-4">
      <p className="flex items-center gap-2 font-semibold text-red">
        <Icon name="warning" />
        This history does not verify
      </p>
      <p className="mt-1">
        What is stored does not match what was signed, so nothing of it is shown. The document is on
        hold: nobody can change or pay it until its operator has looked into it.
      </p>
      <dl className="mt-3 border-t border-line pt-2">
        {failures.map((failure) => (
          <Fact key={failure.check + failure.seq} term={placeOf(failure)}>
            {checkText(failure.check)}
            <code className="block font-mono text-xs text-muted">{failure.check}</code>
          </Fact>
        ))}
        {lastVerified !== undefined && (
          <Fact term="Verified before it">
            {lastVerified === 0 ? 'No entry' : `Entries 1 to ${lastVerified}`}
          </Fact>
        )}
        {incident && (
          <Fact term="Incident, for the operator">
            <CopyText text={incident} label="the incident" />
          </Fact>
        )}
      </dl>
    </div>
  )
}

export default IntegrityFailure
