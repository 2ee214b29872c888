/** Light, dark, or as the system has it. */
export type Scheme = 'system' | 'light' | 'dark'

const storageKey = 'scheme'

export const chosenScheme = (): Scheme =>
  (localStorage.getItem(storageKey) as Scheme | null) ?? 'system'

export const chooseScheme = (scheme: Scheme): void => {
  localStorage.setItem(storageKey, scheme)
  applyScheme()
}

export const applyScheme = (): void => {
  document.documentElement.dataset['scheme'] = chosenScheme()
}
