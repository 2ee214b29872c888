/**
 * What this browser keeps for the next page. One that is full, or that stores nothing, must not keep
 * anybody from working: what it does not take lasts as long as the page.
 */
const ofPage = new Map<string, string>()

/** Whether the browser has done it; it also refuses to be asked. */
const isDone = (act: () => void): boolean => {
  try {
    act()
    return true
  } catch {
    return false
  }
}

export const stored = (name: string): string | null => {
  let text = ofPage.get(name) ?? null
  if (text === null) isDone(() => (text = localStorage.getItem(name)))
  return text
}

/** Whether the next page has it, too. */
export const store = (name: string, text: string): boolean => {
  const isStored = isDone(() => localStorage.setItem(name, text))
  if (isStored) ofPage.delete(name)
  else ofPage.set(name, text)
  return isStored
}

export const forgetStored = (name: string): void => {
  ofPage.delete(name)
  isDone(() => localStorage.removeItem(name))
}

export const storedNames = (): string[] => {
  const names = [...ofPage.keys()]
  isDone(() => names.push(...Object.keys(localStorage)))
  return names
}
