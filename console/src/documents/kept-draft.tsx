/** The form of a draft keeps what is entered in this browser, and brings it back. */
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react'
import { currentSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import { Differences } from './changed-meanwhile.tsx'
import type { Draft } from './draft.ts'
import { type Difference, differencesOf, inSameRows } from './draft-differences.ts'
import {
  type DraftPlace,
  type KeptDraft,
  forgetDraft,
  keepDraft,
  keptDraft,
} from './kept-drafts.ts'

const pauseMs = 400

/** What the service has: what one edits begins from it. Null for a new document. */
export interface StoredDraft {
  revision: number | null
  draft: Draft
}

export interface FormDraft {
  draft: Draft
  setDraft: Dispatch<SetStateAction<Draft>>
  /** The version that it began from, and over which it is saved. */
  base: StoredDraft
  /** Goes on from a newer version, with these entries. */
  goOnFrom: (newer: StoredDraft, entries: Draft) => void
  /** Whether it began with what this browser had kept. */
  isRestored: boolean
  isChanged: () => boolean
  /** Whether this browser has what was entered. */
  isKept: () => boolean
  /** Once it is saved, nothing is left to keep. */
  finish: () => void
  notice: KeptNoticeProps | null
}

export const useFormDraft = (
  where: Omit<DraftPlace, 'revision'>,
  stored: StoredDraft,
): FormDraft => {
  const [base, setBase] = useState(stored)
  const { draft: untouched, revision } = base
  const place = { ...where, revision }
  const [found, setFound] = useState(() => keptDraft(place))
  const isOutdated = found !== undefined && found.revision !== revision
  const [draft, setDraft] = useState(found && !isOutdated ? found.draft : untouched)
  // What was kept of an older revision is not overwritten before somebody has decided about it.
  const state = useRef({ draft, place, isWanted: true, isDone: false, isKept: false })
  Object.assign(state.current, { draft, place, isWanted: draft !== untouched && !isOutdated })
  const keep = () => {
    const { isWanted, isDone, draft: latest, place: now } = state.current
    if (isWanted && !isDone && currentSession()?.user.id === now.user)
      state.current.isKept = keepDraft(now, latest)
  }
  useEffect(() => {
    const timer = setTimeout(keep, pauseMs)
    return () => clearTimeout(timer)
    // The other tab that has saved a newer version has forgotten what was kept.
  }, [draft, isOutdated, stored.revision])
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
  const goOnFrom: FormDraft['goOnFrom'] = (newer, entries) => {
    const next = inSameRows(entries, draft)
    const isAsStored = differencesOf(newer.draft, next).length === 0
    setDraft(next)
    setBase(isAsStored ? { ...newer, draft: next } : newer)
    if (isOutdated) return
    if (isAsStored) forget()
    else if (found) setFound({ ...found, revision: newer.revision })
  }
  return {
    draft,
    setDraft,
    base,
    goOnFrom,
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
          found,
          isOutdated,
          differences: isOutdated ? differencesOf(untouched, found.draft) : [],
          onRestore: () => {
            setDraft(found.draft)
            setFound({ ...found, revision })
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
  differences: readonly Difference[]
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
    {props.differences.length > 0 && (
      <div className="min-w-0 basis-full">
        <Differences differences={props.differences} />
      </div>
    )}
  </div>
)
