/** How the person wants the console. A browser keeps it, so that a reload looks right at once. */
import { store, stored } from '../api/browser-storage.ts'
import type { Preferences } from '../api/types.ts'

export type Appearance = Pick<Preferences, 'theme' | 'density' | 'time_zone'>
export type Theme = Appearance['theme']

const storageKey = 'appearance'
const initial: Appearance = { theme: 'system', density: 'comfortable', time_zone: null }

export const chosenAppearance = (): Appearance => ({
  ...initial,
  ...(JSON.parse(stored(storageKey) ?? '{}') as Partial<Appearance>),
})

export const keepAppearance = (chosen: Partial<Appearance>): void => {
  const { theme, density, time_zone } = { ...chosenAppearance(), ...chosen }
  store(storageKey, JSON.stringify({ theme, density, time_zone }))
  applyAppearance()
}

export const applyAppearance = (): void => {
  const { theme, density } = chosenAppearance()
  Object.assign(document.documentElement.dataset, { scheme: theme, density })
}
