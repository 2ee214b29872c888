/** The rows of Home by keyboard: j and k move, Enter opens, and one key acts on the row (console 1.3). */
import { useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../design/lazy-part.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'

const ActionByKey = lazyPart(() => import('../documents/action-by-key.tsx'))

interface Asked {
  document: string
  letter: string
}

export const RowKeys = () => {
  const [asked, setAsked] = useState<Asked | null>(null)
  const ask = (letter: string) => () => {
    const document = focusedRow()?.dataset['document']
    if (document !== undefined) setAsked({ document, letter })
  }
  // From then on they are for the page of the row that was opened.
  const isLeft = useRouterState({
    select: ({ location, resolvedLocation }) => location.pathname !== resolvedLocation?.pathname,
  })
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...(!isLeft && { a: ask('a'), d: ask('d'), p: ask('p'), i: ask('i') }),
  })
  return asked && <ActionByKey {...asked} onClose={() => setAsked(null)} />
}

const rows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('#main :is([data-document], [data-warning] a)'),
]

const focusedRow = (): HTMLElement | undefined =>
  rows().find((row) => row === document.activeElement)

const move = (by: number): void => {
  const all = rows()
  const at = all.findIndex((row) => row === document.activeElement)
  const next = all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
