/**
 * What a document that is read again and again was shown as. PostgreSQL has just said that its rows
 * are the versions that were proven (docs/decisions/0171), so its text for the same viewer is the
 * same. A draft that refers to others has blockers that depend on these, so it is shown anew.
 */
import { hasReferences } from '../../core/documents/content.ts'
import type { Viewer } from '../../core/documents/projection.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'

/** The text that this viewer would be shown, if it is known. */
export const shownAgain = (
  { lastShown: { viewer: last, text } }: Pick<LoadedDocument, 'lastShown'>,
  viewer: Viewer,
): string | undefined => {
  const isSame =
    last !== undefined &&
    last.side === viewer.side &&
    last.canPay === viewer.canPay &&
    last.isWithoutPayments === viewer.isWithoutPayments &&
    last.today === viewer.today &&
    last.issuerToday === viewer.issuerToday
  return isSame ? text : undefined
}

type ShownDocument = Pick<LoadedDocument, 'lastShown' | 'status' | 'content'>

/** Keeps the text from the second time on: what is read once leaves nothing behind. */
export const rememberShown = (document: ShownDocument, viewer: Viewer, text: string): void => {
  const { lastShown, status, content } = document
  if (!lastShown.isShown) {
    lastShown.isShown = true
    return
  }
  if (status === 'draft' && hasReferences(content)) return
  lastShown.viewer = viewer
  lastShown.text = text
}
