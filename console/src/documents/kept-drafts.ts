/** The draft of a document that somebody has entered and not saved, in this browser only. */
import { type Draft, emptyDraft, newLine } from './draft.ts'
import { forgetText, keepText, keptText } from './kept-texts.ts'

/** The document of an organization that a person edits; `new` is one that is not stored yet. */
export interface DraftPlace {
  user: string
  organization: string
  document: string
  /** That it was edited from; null for a new document. */
  revision: number | null
}

export interface KeptDraft {
  at: string
  revision: number | null
  draft: Draft
}

/** Whether it is kept. */
export const keepDraft = (place: DraftPlace, draft: Draft): boolean => {
  const kept: KeptDraft = { at: new Date().toISOString(), revision: place.revision, draft }
  return keepText(nameOf(place), JSON.stringify(kept))
}

export const keptDraft = (place: DraftPlace): KeptDraft | undefined => {
  const text = keptText(nameOf(place))
  if (text === null) return undefined
  const { draft, ...kept } = JSON.parse(text) as KeptDraft
  return { ...kept, draft: { ...emptyDraft, ...draft, lines: draft.lines.map(asNewLine) } }
}

export const forgetDraft = (place: DraftPlace): void => forgetText(nameOf(place))

const nameOf = ({ user, organization, document }: DraftPlace): string =>
  `${user} ${organization} ${document}`

/** The ids of the rows of a form begin again with each load. */
const asNewLine = ({ id: _, ...line }: Draft['lines'][number]) => newLine(line)
