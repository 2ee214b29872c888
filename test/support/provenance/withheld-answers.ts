/** Whether a caller was told less, and nothing else, than before somebody tampered with a row. */
import assert from 'node:assert/strict'
import type { Reply } from '../api-client.ts'
import { defaultPreferences } from '../identity/default-preferences.ts'

export interface Answer {
  status: number
  text: string
}

/** These count rows that decide only whether another one may be added. */
const quotaCounts =
  /("quota":"(?:webhook_endpoints|active_keys|sandboxes)",[^}]*?)"used":\d+,"left":\d+/g

export const withoutRandomParts = (text: string): string =>
  text
    .replaceAll(/(req|inc|doc|whsec|key|evt|pay|sim)_[\w+/=]+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
    .replaceAll(/"last_used_at":(null|"[^"]*")/g, '"last_used_at":null')
    // Which documents were found broken is told because they are.
    .replaceAll(/"documents_on_hold":\[[^\]]*\]/g, '"documents_on_hold":[]')
    .replaceAll(quotaCounts, '$1"used":0')
    .replaceAll(/rk_\w+/g, 'rk')
    .replaceAll(/https?:\/\/[^"]*\/files\/[^"]*/g, 'link')

/** What a caller may be told instead: less, but never something else. */
export const isWithheld = (before: Answer, { status, text }: Answer): boolean => {
  if (status === 500) return true
  // A credential, or a record that cannot be found any more.
  if ([401, 403, 404].includes(status)) return true
  if (status !== 200 || before.status !== 200) return false
  return isNeverSetUp(text) || isPartOf(before.text, text)
}

const nothingChosen = withoutRandomParts(JSON.stringify(defaultPreferences))

/** Whoever has no finance setup neither borrows nor lends; preferences have defaults. */
const isNeverSetUp = (text: string): boolean =>
  text.includes('"blockers":["borrower_setup","lender_setup"],"updated_at":null') ||
  text === nothingChosen

interface Element {
  id?: string
  duplicate_warning?: { matches: number }
}

/** Whether an answer has no element that it did not have before; it may count fewer twins. */
const isPartOf = (before: string, after: string): boolean => {
  const elements = (text: string): Element[] =>
    (JSON.parse(text) as { data?: Element[] }).data ?? [JSON.parse(text) as Element]
  const known = elements(before)
  return elements(after).every((one) => known.some((old) => isLess(one, old)))
}

const isLess = (one: Element, old: Element): boolean => {
  const [matches, before] = [one, old].map((element) => element.duplicate_warning?.matches ?? 0)
  const { duplicate_warning: _, ...rest } = one
  const { duplicate_warning: __, ...oldRest } = old
  return JSON.stringify(rest) === JSON.stringify(oldRest) && matches! <= before!
}

export const assertWithheld = ({ status, body, text }: Reply, what: string): void => {
  assert.equal(status, 500, `${what}: ${text.slice(0, 200)}`)
  assert.equal(body.error.code, 'integrity_failure', what)
}
