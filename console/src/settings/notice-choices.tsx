/** Which notices the person gets by e-mail. */
import { useOfflineRefusal } from '../api/offline.ts'
import type { Preferences } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { CheckField } from '../design/field.tsx'
import { Refusal } from '../design/layout.tsx'
import { preferencesPath } from '../shell/own-appearance.ts'

type Notices = Preferences['notices']

const notices = [
  ['approval_wanted', 'Approvals', 'Somebody asks for an approval that you can give.'],
  ['payment_failed', 'Failed payments', 'A payment has failed or was returned.'],
  ['endpoint_failing', 'Failing webhooks', 'An endpoint is halfway to being disabled.'],
  ['key_expiring', 'Expiring keys', 'An API key expires within seven days.'],
] as const

export const NoticeChoices = ({ chosen }: { chosen: Notices }) => (
  <fieldset>
    <legend className="font-medium">E-mails</legend>
    {notices.map(([name, label, hint]) => (
      <NoticeChoice key={name} name={name} label={label} hint={hint} isChosen={chosen[name]} />
    ))}
  </fieldset>
)

interface NoticeChoiceProps {
  name: keyof Notices
  label: string
  hint: string
  isChosen: boolean
}

/** Each box has a write of its own, so that two of them do not share an Idempotency-Key. */
const NoticeChoice = ({ name, label, hint, isChosen }: NoticeChoiceProps) => {
  const write = useWrite<Preferences>()
  const choose = (isWanted: boolean) =>
    write.mutate({
      method: 'PATCH',
      path: preferencesPath,
      body: { notices: { [name]: isWanted } },
    })
  return (
    <>
      <CheckField
        label={label}
        hint={hint}
        refusal={useOfflineRefusal()}
        checked={write.data?.body.notices[name] ?? isChosen}
        onChange={({ target }) => choose(target.checked)}
      />
      {write.error && <Refusal error={write.error} />}
    </>
  )
}
