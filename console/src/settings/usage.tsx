/** How much of its quotas the organization has used, and what a sandbox can do with its time. */
import { useSession } from '../api/session.ts'
import { Quotas } from './quotas.tsx'
import { SandboxClock } from './sandbox-clock.tsx'
import { SandboxReset } from './sandbox-reset.tsx'

const Usage = () => (
  <>
    <Quotas />
    {useSession().organization.mode === 'sandbox' && (
      <>
        <SandboxClock />
        <SandboxReset />
      </>
    )}
  </>
)

export default Usage
