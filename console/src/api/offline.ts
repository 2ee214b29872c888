/** Whether the browser knows that it has no network: what was read stays, and nothing is written. */
import { useSyncExternalStore } from 'react'

const follow = (onChange: () => void): (() => void) => {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** Why nothing can be written now. */
export const useOfflineRefusal = (): string | undefined =>
  useSyncExternalStore(follow, () => navigator.onLine) ? undefined : 'You are offline.'
