/** A draft that somebody else saves: a form that nobody has touched follows the newest version. */
import { useEffect } from 'react'
import { notify } from '../design/notices.tsx'
import { type Difference, differencesOf } from './draft-differences.ts'
import type { FormDraft, StoredDraft } from './kept-draft.tsx'

const none: readonly Difference[] = []

/** Where the newest version differs from what is entered here, once somebody has to choose. */
export const useNewestDraft = (
  form: FormDraft,
  newest: StoredDraft,
  isSaving: boolean,
): readonly Difference[] => {
  const { base, draft } = form
  const isOlder = newest.revision !== base.revision && !isSaving
  const differences = isOlder ? differencesOf(newest.draft, draft) : none
  const isUntouched = isOlder && differencesOf(base.draft, draft).length === 0
  const follows = isOlder && (isUntouched || differences.length === 0)
  useEffect(() => {
    if (!follows) return
    form.goOnFrom(newest, 'theirs')
    if (differences.length > 0)
      notify('Somebody else has changed this draft: you see it as it is now')
  }, [follows, newest])
  return follows ? none : differences
}
