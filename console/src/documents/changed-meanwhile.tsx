/** What somebody else has saved of a draft that is edited here, and whose version it becomes. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button, buttonClass } from '../design/button.tsx'
import { Panel } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { notify } from '../design/notices.tsx'
import type { Difference } from './draft-differences.ts'

/** Two versions differ seldom, and nobody else who writes a draft has a table to load. */
export const Differences = lazyPart(() => import('./differences.tsx'), { height: 'h-24' })

interface ChangedMeanwhileProps {
  differences: readonly Difference[]
  /** What was to be saved was refused, since it began from an older version. */
  isRefused: boolean
  isSaving: boolean
  onUseTheirs: () => void
  onKeepMine: () => void
}

export const ChangedMeanwhile = (props: ChangedMeanwhileProps) => {
  const { differences, isRefused, isSaving, onUseTheirs, onKeepMine } = props
  return (
    <Meanwhile title="Somebody else has changed this draft" isRefused={isRefused}>
      <p className="px-4 pt-3 text-pretty">
        Both of you have changed what stands below. All else that either of you has changed is kept
        in any case.
      </p>
      <Differences differences={differences} />
      <div className="flex flex-wrap gap-2 p-4">
        <Button onClick={onUseTheirs}>Use theirs</Button>
        <Button
          kind="primary"
          isWrite
          disabledReason={isSaving ? 'Sending' : undefined}
          onClick={onKeepMine}
        >
          Keep mine
        </Button>
      </div>
    </Meanwhile>
  )
}

interface NoDraftProps {
  org: string
  id: string
  isRefused: boolean
}

export const NoDraftAnyMore = ({ org, id, isRefused }: NoDraftProps) => (
  <Meanwhile title="This is no longer a draft" isRefused={isRefused}>
    <div className="grid justify-items-start gap-3 p-4">
      <p>It was issued or ended meanwhile, so what you have entered here cannot be saved.</p>
      <Link
        to="/o/$org/documents/$document"
        params={{ org, document: id }}
        className={buttonClass()}
      >
        Show the document
      </Link>
    </div>
  </Meanwhile>
)

/** Whoever only types keeps the cursor; whoever has tried to save is led here. */
const Meanwhile = (props: { title: string; isRefused: boolean; children: ReactNode }) => {
  const { title, isRefused, children } = props
  const place = useRef<HTMLDivElement>(null)
  // Whoever is further down does not see it.
  useEffect(() => notify(`${title}: look above the form`), [title])
  useEffect(() => {
    if (isRefused) place.current?.focus()
  }, [isRefused])
  return (
    <div ref={place} tabIndex={-1} className="mb-6">
      <Panel title={title}>{children}</Panel>
    </div>
  )
}
