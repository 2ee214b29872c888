/** The form of a draft keeps what is entered in this browser, and brings it back. */
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react'
import { currentSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import type { Draft } from './draft.ts'
import {
  type DraftPlace,
  type KeptDraft,
  forgetDraft,
  keepDraft,
  keptDraft,
} from './kept-drafts.ts'

const pauseMs = 400

interface FormDraft {
  draft: Draft
  setDraft: Dispatch<SetStateAction<Draft>>
  /** Whether it began with what this browser had kept. */
  isRestored: boolean
  isChanged: () => boolean
  /** Whether this browser has what was entered. */
  isKept: () => boolean
  /** Once it is saved, nothing is left to keep. */
  finish: () => void
  notice: KeptNoticeProps | null
}

export const useFormDraft = (place: DraftPlace, initial: Draft): FormDraft => {
  const [untouched] = useState(initial)
  const [found, setFound] = useState(() => keptDraft(place))
  const isOutdated = found !== undefined && found.revision !== place.revision
  const [draft, setDraft] = useState(found && !isOutdated ? found.draft : initial)
  // What was kept of an older revision is not overwritten before somebody has decided about it.
  const state = useRef({ draft, isWanted: true, isDone: false, isKept: false })
  Object.assign(state.current, { draft, isWanted: draft !== untouched && !isOutdated })
  const keep = () => {
    const { isWanted, isDone, draft: latest } = state.current
    if (isWanted && !isDone && currentSession()?.user.id === place.user)
      state.current.isKept = keepDraft(place, latest)
  }
  useEffect(() => {
    const timer = setTimeout(keep, pauseMs)
    return () => clearTimeout(timer)
  }, [draft, isOutdated])
  useEffect(() => {
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [])
  const forget = () => {
    forgetDraft(place)
    setFound(undefined)
  }
  return {
    ...{ draft, setDraft },
    isRestored: found !== undefined && !isOutdated,
    isChanged: () => draft !== untouched && !state.current.isDone,
    isKept: () => {
      keep()
      return state.current.isKept
    },
    finish: () => {
      state.current.isDone = true
      forgetDraft(place)
    },
    notice: found
      ? {
          ...{ found, isOutdated },
          onRestore: () => {
            setDraft(found.draft)
            setFound({ ...found, revision: place.revision })
          },
          onDiscard: () => {
            setDraft(untouched)
            forget()
          },
        }
      : null,
  }
}

interface KeptNoticeProps {
  found: KeptDraft
  /** The document has changed since. */
  isOutdated: boolean
  onRestore: () => void
  onDiscard: () => void
}

export const KeptNotice = ({ found: { at }, isOutdated, ...props }: KeptNoticeProps) => (
  <div
    role="status"
    className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-accent-tint px-4 py-2.5"
  >
    <p className="min-w-0 flex-1 basis-60">
      {isOutdated ? (
        <>
          The draft has changed since you entered something here that was not saved, on{' '}
          <Time at={at} isExact />.
        </>
      ) : (
        <>
          Your unsaved entries of <Time at={at} isExact /> are back. They are only in this browser
          until you save them.
        </>
      )}
    </p>
    {isOutdated && <Button onClick={props.onRestore}>Restore</Button>}
    <Button onClick={props.onDiscard}>Discard</Button>
  </div>
)
