/**
 * What somebody has entered and not sent, in this browser only: a few texts, for a week, and gone once
 * they sign out. They hold business data, but no credential.
 */
import { useState } from 'react'
import { forgetStored, store, stored, storedNames } from '../api/browser-storage.ts'
import { useSession } from '../api/session.ts'

const indexKey = 'kept-drafts'
const prefix = 'kept-draft '
const keptMost = 10
const keptDays = 7
const longestText = 200_000

type Index = readonly (readonly [key: string, at: string])[]

/** Whether it is kept: it may be empty or too long, or the browser may have no room. */
export const keepText = (name: string, text: string): boolean => {
  const key = prefix + name
  forgetText(name)
  if (text === '' || text.length > longestText) return false
  const others = index().slice(1 - keptMost)
  const isKept = store(key, text) && storeIndex([...others, [key, new Date().toISOString()]])
  // What would be gone with the page is not said to be kept.
  if (!isKept) storeIndex(others)
  return isKept
}

export const keptText = (name: string): string | null => {
  storeIndex(index())
  return stored(prefix + name)
}

export const forgetText = (name: string): void =>
  void storeIndex(index().filter(([key]) => key !== prefix + name))

/** The next person at this browser finds nothing. */
export const forgetAllTexts = (): void => void storeIndex([])

/** A text about something that has an id, as it is typed; sent or given up, it is empty. */
export const useKeptText = (subject: string) => {
  const { user, organization } = useSession()
  const place = `${user.id} ${organization.id} ${subject}`
  const [text, setText] = useState(() => keptText(place) ?? '')
  const type = (typed: string): void => {
    setText(typed)
    // At once: the session may end before the next key.
    keepText(place, typed)
  }
  return [text, type] as const
}

const index = (): Index => JSON.parse(stored(indexKey) ?? '[]') as Index

const isYoung = (at: string): boolean => Date.now() - Date.parse(at) < keptDays * 86_400_000

/** Removes what the index does not name, and what is too old. */
const storeIndex = (wanted: Index): boolean => {
  const young = wanted.filter(([, at]) => isYoung(at))
  const keys = new Set(young.map(([key]) => key))
  for (const key of storedNames()) if (key.startsWith(prefix) && !keys.has(key)) forgetStored(key)
  return store(indexKey, JSON.stringify(young))
}
