/** How the signed-in person signs in, and wants the console. */
import { Identities } from './identities.tsx'
import { Passkeys } from './passkeys.tsx'
import { Preferences } from './preferences.tsx'
import { SecondFactor } from './second-factor.tsx'

const OwnSettings = () => (
  <>
    <SecondFactor />
    <Passkeys />
    <Identities />
    <Preferences />
  </>
)

export default OwnSettings
