/** The appearance that a person has chosen on any device. */
import { useEffect } from 'react'
import { useRead } from '../api/reads.ts'
import type { Preferences } from '../api/types.ts'
import { useIndependentWrites } from '../api/writes.ts'
import { type Appearance, keepAppearance } from './appearance.ts'

export const preferencesPath = '/v1/preferences'

export const usePreferences = () => useRead<Preferences>(preferencesPath)

/** What the person chose elsewhere since is taken over; undefined until something was chosen. */
export const useOwnAppearance = (): Appearance | undefined => {
  const { data } = usePreferences()
  const chosen = data?.updated_at === null ? undefined : data
  useEffect(() => {
    if (chosen !== undefined) keepAppearance(chosen)
  }, [chosen])
  return chosen
}

/** Shows the choice at once, and keeps it with the person. */
export const useChooseAppearance = () => {
  const write = useIndependentWrites<Preferences>()
  const choose = (chosen: Partial<Appearance>) => {
    keepAppearance(chosen)
    write.mutate({ method: 'PATCH', path: preferencesPath, body: chosen })
  }
  return { choose, error: write.error }
}
