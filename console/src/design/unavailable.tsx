/** What this organization, role or service does not include: not an error, and what would change it. */
import { useEffect } from 'react'
import type { ApiError } from '../api/call.ts'
import { isAdmin } from '../api/permissions.ts'
import { type Session, renewSession, useSession } from '../api/session.ts'
import { blockerText } from './blocker-text.ts'
import { wordsOf } from './format.tsx'
import { CopyText, Empty } from './layout.tsx'

interface Texts {
  title: string
  text: string
  /** What is to be done, in order. */
  steps: readonly string[]
}

const textsOf = ({ code, details, message }: ApiError, role: string): Texts => {
  if (code === 'insufficient_scope')
    return {
      title: 'Your role does not include this',
      text: `You are ${role} here.`,
      steps: ['An owner or admin can give you another role, in Settings under Members.'],
    }
  if (code === 'not_enabled')
    return {
      title: `${wordsOf(String(details['family']))} is switched off`,
      text: 'This service runs without it, for all organizations.',
      steps: ['Its operator switches it on with the setting FAMILIES.'],
    }
  const blockers = (details['blockers'] as string[] | undefined) ?? ['verification']
  return {
    title: 'Not available to this organization yet',
    // The service names the scope, which is for programs.
    text:
      details['reason'] === 'organization_unverified'
        ? 'It is for verified organizations only.'
        : message,
    steps: blockers.map(blockerText),
  }
}

/** Whether the role that the page knows includes what was refused: it has changed since. */
const hasChanged = ({ details }: ApiError, session: Session): boolean => {
  const required = details['required_scopes'] as Session['scopes'] | undefined
  return required?.every((one) => session.scopes.includes(one) || isInRole(one, session)) ?? false
}

const isInRole = (required: string, session: Session): boolean =>
  required === `${session.role}_session` || (isAdmin(session) && required !== 'owner_session')

const Unavailable = ({ error }: { error: ApiError }) => {
  const session = useSession()
  const { role, organization } = session
  const isOutdated = hasChanged(error, session)
  useEffect(() => {
    if (isOutdated) void renewSession()
  }, [isOutdated])
  const { title, text, steps } = textsOf(error, role)
  return (
    <div role="status">
      <Empty title={title}>
        <p>{text}</p>
        <ol className="mt-3 list-inside list-decimal text-left">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {error.code === 'capability_unavailable' && (
          <p className="mt-3">
            <CopyText text={organization.id} label="the organization id" />
          </p>
        )}
      </Empty>
    </div>
  )
}

export default Unavailable
