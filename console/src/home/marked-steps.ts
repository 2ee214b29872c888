/** First steps that no record of the service can show: the person says that they are done. */
import type { Preferences } from '../api/types.ts'
import { useIndependentWrites } from '../api/writes.ts'
import { preferencesPath, usePreferences } from '../shell/own-appearance.ts'

export type MarkedStep = keyof Preferences['first_steps']

export const useMarkedSteps = (): Preferences['first_steps'] | undefined =>
  usePreferences().data?.first_steps

/** Marks a step, unless it is marked. */
export const useMarkStep = () => {
  const marked = useMarkedSteps()
  const write = useIndependentWrites<Preferences>()
  return (step: MarkedStep) => {
    if (marked === undefined || marked[step]) return
    write.mutate({
      method: 'PATCH',
      path: preferencesPath,
      body: { first_steps: { [step]: true } },
    })
  }
}
