/** A draft that somebody else saves while it is edited here: both changes are put together. */
import { useEffect } from 'react'
import { notify } from '../design/notices.tsx'
import type { Draft } from './draft.ts'
import { type Difference, differencesOf, mergedDraft } from './draft-differences.ts'
import type { FormDraft, StoredDraft } from './kept-draft.tsx'

/** The newest version with what is entered here, where both have changed the same. */
export interface Clash {
  mine: Draft
  theirs: Draft
  differences: readonly Difference[]
}

/** Undefined unless both have changed the same, and somebody has to choose. */
export const useNewestDraft = (
  form: FormDraft,
  newest: StoredDraft,
  isSaving: boolean,
): Clash | undefined => {
  const { base, draft } = form
  const isOlder = newest.revision !== base.revision && !isSaving
  const clash = isOlder ? clashOf(base.draft, draft, newest.draft) : undefined
  const follows = clash?.differences.length === 0
  useEffect(() => {
    if (!follows) return
    form.goOnFrom(newest, clash.mine)
    if (differencesOf(clash.mine, draft).length > 0)
      notify('Somebody else has changed this draft: what they have saved is in it now')
  }, [follows, newest])
  return follows ? undefined : clash
}

const clashOf = (began: Draft, mine: Draft, theirs: Draft): Clash => {
  const merged = {
    mine: mergedDraft(began, mine, theirs),
    theirs: mergedDraft(began, theirs, mine),
  }
  return { ...merged, differences: differencesOf(merged.theirs, merged.mine) }
}
