/** Who must approve what, from which amount, for which party. */
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import type { ApprovalRule } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Money } from '../design/format.tsx'
import { Empty, Page, Panel } from '../design/layout.tsx'
import { List } from '../design/list-page.tsx'
import { PartyName } from '../design/party-name.tsx'
import type { Column } from '../design/table.tsx'
import { shortageOfRule, useMembers } from './approvers.ts'
import { approversText, operationText } from './rule-texts.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const RuleDialog = lazyPart(() => import('./rule-dialog.tsx'))
const TestRuleDialog = lazyPart(() => import('./test-rule-dialog.tsx'))
const DeleteRuleDialog = lazyPart(() => import('./delete-rule-dialog.tsx'))
const route = getRouteApi('/o/$org/approvals/rules')

type Opened = { kind: 'new' } | { kind: 'edit' | 'test' | 'delete'; rule: ApprovalRule }
type OnOpen = (opened: Opened) => void

const adminsOnly = 'Owners and admins manage the rules'

const RulesPage = () => {
  const { org } = route.useParams()
  const { role } = useSession()
  const isAdmin = role === 'owner' || role === 'admin'
  const [opened, setOpened] = useState<Opened | null>(null)
  return (
    <Page
      title="Approval rules"
      lead="Who must approve what, from which amount, for which party. Rules bind everybody who signs in, whatever their role, and the keys that require approval."
      back={
        <Link to="/o/$org/approvals" params={{ org }} search={{}} className="hover:text-ink">
          Approvals
        </Link>
      }
      actions={
        <Button
          kind="primary"
          icon="plus"
          disabledReason={isAdmin ? undefined : adminsOnly}
          onClick={() => setOpened({ kind: 'new' })}
        >
          New rule
        </Button>
      }
    >
      <Panel className="overflow-hidden">
        {isAdmin ? (
          <Rules onOpen={setOpened} />
        ) : (
          <Empty title={adminsOnly}>
            Your role is {role}, which cannot read them. When you make a payment that needs an
            approval, it says so and names the rule.
          </Empty>
        )}
      </Panel>
      {opened && <OpenedDialog opened={opened} onClose={() => setOpened(null)} />}
    </Page>
  )
}

export default RulesPage

const OpenedDialog = ({ opened, onClose }: { opened: Opened; onClose: () => void }) => {
  if (opened.kind === 'new') return <RuleDialog rule={null} onClose={onClose} />
  const { kind, rule } = opened
  if (kind === 'edit') return <RuleDialog rule={rule} onClose={onClose} />
  if (kind === 'test') return <TestRuleDialog rule={rule} onClose={onClose} />
  return <DeleteRuleDialog rule={rule} onClose={onClose} />
}

const Rules = ({ onOpen }: { onOpen: OnOpen }) => (
  <List<ApprovalRule>
    caption="Approval rules, newest first"
    path="/v1/approval_rules"
    columns={columnsOf(onOpen)}
    rowKey={({ id }) => id}
    onOpen={(rule) => onOpen({ kind: 'edit', rule })}
    empty={{
      title: 'No approval rules yet',
      text: (
        <>
          Today everybody whose role includes payments pays alone. Begin with one rule, such as:
          paying more than $5,000.00 needs one other person. Then test it: you see who would approve
          before it stops anybody.
        </>
      ),
      actions: (
        <Button kind="primary" icon="plus" onClick={() => onOpen({ kind: 'new' })}>
          Create the first rule
        </Button>
      ),
    }}
  />
)

const columnsOf = (onOpen: OnOpen): Column<ApprovalRule>[] => [
  {
    title: 'Rule',
    cell: (rule) => (
      <>
        <button
          type="button"
          className="text-left font-medium break-words"
          onClick={() => onOpen({ kind: 'edit', rule })}
        >
          <bdi>{rule.name}</bdi>
        </button>
        <span className="block text-sm text-muted">
          {operationText(rule.when.operation, rule.when.document_type)}
        </span>
        <span className="block text-sm text-muted roomy:hidden">
          <RuleParty {...rule.when} /> · {approversText(rule)}
        </span>
        <Shortage rule={rule} />
      </>
    ),
  },
  {
    title: 'Party',
    isWide: true,
    className: 'max-w-[13.75rem] truncate',
    cell: ({ when }) => <RuleParty {...when} />,
  },
  { title: 'Who approves', isWide: true, cell: approversText },
  { title: 'More than', align: 'right', cell: ({ when }) => <Threshold {...when} /> },
  {
    title: 'Actions',
    align: 'right',
    isWide: false,
    cell: (rule) => (
      <span className="inline-flex gap-1 narrow:flex-col">
        <Button
          aria-label={`Test this rule: ${rule.name}`}
          onClick={() => onOpen({ kind: 'test', rule })}
        >
          Test…
        </Button>
        <Button
          kind="quiet"
          aria-label={`Delete the rule ${rule.name}`}
          onClick={() => onOpen({ kind: 'delete', rule })}
        >
          Delete…
        </Button>
      </span>
    ),
  },
]

const Shortage = ({ rule }: { rule: ApprovalRule }) => {
  const text = shortageOfRule(rule, useMembers())
  return text !== undefined && <span className="block text-sm text-amber">{text}</span>
}

const RuleParty = ({ connection_id: connection }: ApprovalRule['when']) =>
  connection === null ? 'Any party' : <PartyName connection={connection} />

const Threshold = ({ amount_above: amount, currency }: ApprovalRule['when']) => {
  if (amount !== null && currency !== null) return <Money amount={amount} currency={currency} />
  return <span className="text-muted">{currency === null ? 'Any amount' : `Any ${currency}`}</span>
}
