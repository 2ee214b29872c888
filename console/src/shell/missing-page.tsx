/** An address at which there is nothing, in the frame of the organization that one acts for. */
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { Empty, Page, Panel } from '../design/layout.tsx'
import Shell from './shell.tsx'

const title = 'Page not found'

/** Below the address of an organization of the person. */
export const MissingInOrganization = () => {
  const { organization } = useSession()
  return (
    <Page title={title}>
      <Panel>
        <Empty
          title={`There is nothing at this address in ${organization.name} (${organization.mode})`}
          actions={
            <>
              <Link
                to="/o/$org"
                params={{ org: organization.id }}
                className={buttonClass('primary')}
              >
                Go to Home
              </Link>
              <Button onClick={() => history.back()}>Go back</Button>
            </>
          }
        >
          The link may be incomplete, or what it led to may be of another organization.
        </Empty>
      </Panel>
    </Page>
  )
}

/** Anywhere else, or in an organization that is none of the person. */
const MissingPage = () => {
  const isSignedIn = useSession().id !== ''
  if (!isSignedIn) return <MissingForVisitor />
  return (
    <Shell>
      <MissingInOrganization />
    </Shell>
  )
}

export default MissingPage

const MissingForVisitor = () => {
  useEffect(() => {
    document.title = `${title} · Document Exchange`
  }, [])
  return (
    <main className="py-16">
      <h1 className="text-center text-xl font-semibold">{title}</h1>
      <Empty
        title="There is nothing at this address"
        actions={
          <Link to="/sign-in" search={{}} className={buttonClass('primary')}>
            Sign in
          </Link>
        }
      >
        The link may be incomplete.
      </Empty>
    </main>
  )
}
