/** What one can do with a document now; what one cannot says why. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { type Action, usePageActions } from '../shell/page-actions.ts'
import { useAwaitedShortcuts } from '../shell/shortcuts.ts'
import { titleOf } from './document-names.ts'
import {
  type Move,
  conversionsOf,
  issueRefusal,
  movesOf,
  payRefusal,
  writeRefusal,
} from './moves.ts'
import { isPayable } from './payable.ts'

export type OpenedDialog = 'pay' | 'issue' | Move | null

export interface DialogsProps {
  document: DocumentRecord
  opened: OpenedDialog
  onOpen: (opened: OpenedDialog) => void
}

interface ActionsProps {
  document: DocumentRecord
  /** Why nothing at all can be done with it. */
  hold: string | undefined
  onOpen: (opened: OpenedDialog) => void
}

export const DocumentActions = ({ document, hold, onOpen }: ActionsProps) => {
  const session = useSession()
  const org = session.organization.id
  const navigate = useNavigate()
  const roleRefusal = writeRefusal(session)
  const moves = [...conversionsOf(document), ...movesOf(document)].map((move) => ({
    ...move,
    refusal: hold ?? move.refusal,
  }))
  const isDraft = document.status === 'draft'
  const pay =
    isPayable(document) && !isDraft ? { refusal: hold ?? payRefusal(document, session) } : undefined
  const issue = isDraft ? { refusal: hold ?? issueRefusal(document) } : undefined
  const edit = () =>
    void navigate({
      to: '/o/$org/documents/$document/edit',
      params: { org, document: document.id },
    })
  const actions = actionsOf(document, { moves, pay, issue, edit, roleRefusal, onOpen })
  usePageActions(actions)
  useAwaitedShortcuts(
    Object.fromEntries(
      actions.flatMap(({ key, refusal, run }) =>
        key !== undefined && refusal === undefined ? [[key, run]] : [],
      ),
    ),
  )
  const isPrimary = ({ to, refusal }: Move) =>
    refusal === undefined &&
    ['approved', 'accepted'].includes(to) &&
    document.status !== 'payment_scheduled'
  return (
    <>
      {isDraft && (
        <Link
          to="/o/$org/documents/$document/edit"
          params={{ org, document: document.id }}
          className={buttonClass()}
        >
          Edit
        </Link>
      )}
      {moves
        .toSorted((a, b) => Number(a.refusal === undefined) - Number(b.refusal === undefined))
        .filter((move) => !isPrimary(move))
        .map((move) => (
          <Button
            key={move.to}
            className={placeOf(move.refusal)}
            disabledReason={move.refusal ?? roleRefusal}
            onClick={() => onOpen(move)}
          >
            {`${move.verb}…`}
          </Button>
        ))}
      {moves.filter(isPrimary).map((move) => (
        <Button
          key={move.to}
          kind="primary"
          className={first}
          disabledReason={roleRefusal}
          {...(move.key === undefined ? {} : { shortcut: move.key })}
          onClick={() => onOpen(move)}
        >
          {`${move.verb}…`}
        </Button>
      ))}
      {pay && (
        <Button
          kind="primary"
          className={placeOf(pay.refusal, first)}
          shortcut="p"
          disabledReason={pay.refusal}
          onClick={() => onOpen('pay')}
        >
          Pay…
        </Button>
      )}
      {issue && (
        <Button
          kind="primary"
          className={placeOf(issue.refusal, first)}
          shortcut="i"
          disabledReason={issue.refusal ?? roleRefusal}
          onClick={() => onOpen('issue')}
        >
          Issue…
        </Button>
      )}
    </>
  )
}

/** A narrow screen has several lines of them: they begin with what is to be done next. */
const first = 'max-md:order-first'
const placeOf = (refusal: string | undefined, place = ''): string =>
  refusal === undefined ? place : 'max-md:order-last'

interface Possible {
  moves: readonly Move[]
  pay: { refusal: string | undefined } | undefined
  issue: { refusal: string | undefined } | undefined
  edit: () => void
  roleRefusal: string | undefined
  onOpen: (opened: OpenedDialog) => void
}

const actionsOf = (document: DocumentRecord, possible: Possible): Action[] => {
  const { moves, pay, issue, edit, roleRefusal, onOpen } = possible
  const action = (id: string, verb: string, rest: Omit<Action, 'id' | 'title'>): Action => ({
    id: `action-${id}`,
    title: `${verb}: ${titleOf(document)}`,
    ...rest,
  })
  return [
    ...moves.map((move) =>
      action(move.to, move.verb, {
        key: move.key,
        refusal: move.refusal ?? roleRefusal,
        run: () => onOpen(move),
      }),
    ),
    ...(pay ? [action('pay', 'Pay', { ...pay, key: 'p', run: () => onOpen('pay') })] : []),
    ...(issue
      ? [
          action('issue', 'Issue', {
            key: 'i',
            refusal: issue.refusal ?? roleRefusal,
            run: () => onOpen('issue'),
          }),
          action('edit', 'Edit', { key: 'e', refusal: roleRefusal, run: edit }),
        ]
      : []),
  ]
}
