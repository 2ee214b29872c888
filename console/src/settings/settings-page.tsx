/** The organization, its people and its quotas, and what a sandbox can do with its time. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'
import { buttonClass } from '../design/button.tsx'
import { wordsOf } from '../design/format.tsx'
import { CopyText, Fact, Page, Panel } from '../design/layout.tsx'
import { useInView } from '../design/in-view.ts'
import { lazyPart } from '../design/lazy-part.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Members } from './members.tsx'
import { Profile } from './profile.tsx'

/** A sandbox has more quotas, and its clock. */
const usageHeight =
  'h-36 [[data-mode=sandbox]_&]:h-[47rem] max-md:[[data-mode=sandbox]_&]:h-[56rem]'
const Usage = lazyPart(() => import('./usage.tsx'), { height: usageHeight })
const ownHeight = 'h-[58rem]'
const OwnSettings = lazyPart(() => import('./own-settings.tsx'), { height: ownHeight })

const SettingsPage = () => {
  const { organization, user, role } = useSession()
  return (
    <Page
      title="Settings"
      lead="The details of this organization, and who acts for it in which role."
    >
      <div className="in-turn grid items-start gap-6 @lg:grid-cols-[minmax(0,1fr)_22.5rem]">
        <div className="in-turn grid min-w-0 gap-6">
          <Profile />
          <Members />
          <OnceSeen height={usageHeight}>
            <Usage />
          </OnceSeen>
        </div>
        <div className="in-turn grid gap-6">
          <Panel title="Organization">
            <dl className="px-4 py-2">
              <Fact term="Name">{organization.name}</Fact>
              <Fact term="Mode">{wordsOf(organization.mode)}</Fact>
              <Fact term="Id">
                <CopyText text={organization.id} label="the organization id" />
              </Fact>
              <Fact term="You">{user.email}</Fact>
              <Fact term="Role">{wordsOf(role)}</Fact>
            </dl>
          </Panel>
          <LinkPanel
            title="Approval rules"
            text="Who must approve what, from which amount, for which party."
          >
            <Link
              to="/o/$org/approvals/rules"
              params={{ org: organization.id }}
              className={buttonClass()}
            >
              Open the rules
            </Link>
          </LinkPanel>
          <LinkPanel title="Audit log" text="Who changed what, and who signed in from where.">
            <Link
              to="/o/$org/audit"
              params={{ org: organization.id }}
              search={{}}
              className={buttonClass()}
            >
              Open the log
            </Link>
          </LinkPanel>
          <LinkPanel
            title="Sessions"
            text="Where you are signed in. You can end the session of another device."
          >
            <Link to="/o/$org/sessions" params={{ org: organization.id }} className={buttonClass()}>
              Open your sessions
            </Link>
          </LinkPanel>
          <OnceSeen height={ownHeight}>
            <OwnSettings />
          </OnceSeen>
        </div>
      </div>
    </Page>
  )
}

export default SettingsPage

/** It begins below most screens: what is on the screen comes first. */
const OnceSeen = ({ height, children }: { height: string; children: ReactNode }) => {
  const [element, isDue] = useInView()
  return (
    <div ref={element} data-later className="grid gap-6">
      {isDue ? children : <Skeleton className={height} />}
    </div>
  )
}

interface LinkPanelProps {
  title: string
  text: string
  /** The link to the page. */
  children: ReactNode
}

const LinkPanel = ({ title, text, children }: LinkPanelProps) => (
  <Panel title={title}>
    <div className="px-4 py-3">
      <p className="mb-3 text-muted">{text}</p>
      {children}
    </div>
  </Panel>
)
