/** How the signed-in person wants the console, on every device. */
import { useOfflineRefusal } from '../api/offline.ts'
import type { Preferences as Choices } from '../api/types.ts'
import { Panel, Refusal, Region } from '../design/layout.tsx'
import { SelectField } from '../design/select-field.tsx'
import { useChooseAppearance, usePreferences } from '../shell/own-appearance.ts'
import { NoticeChoices } from './notice-choices.tsx'

const themes = [
  ['system', 'Same as the device'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const
const densities = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact'],
] as const
const known = Intl.supportedValuesOf('timeZone')

/** Also the chosen one: browsers list different names of a zone, such as Asia/Kolkata. */
const timeZonesWith = (chosen: string | null) => [
  ['', 'Same as the device'] as const,
  ...[...known, ...(chosen === null || known.includes(chosen) ? [] : [chosen])].map(
    (name) => [name, name.replaceAll('_', ' ')] as const,
  ),
]

export const Preferences = () => {
  const read = usePreferences()
  const { choose, error } = useChooseAppearance()
  const offline = useOfflineRefusal()
  const whileOffline = { disabled: offline !== undefined, hint: offline }
  return (
    <Panel title="Preferences">
      <div className="px-4 py-3">
        <p className="mb-3 text-sm text-muted">Yours, in every organization and on every device.</p>
        <Region read={read} skeleton="h-40">
          {({ theme, density, time_zone, notices }) => (
            <div className="grid gap-3">
              <SelectField
                label="Colours"
                {...whileOffline}
                value={theme}
                options={themes}
                onChange={({ target }) => choose({ theme: target.value as Choices['theme'] })}
              />
              <SelectField
                label="Rows"
                {...whileOffline}
                value={density}
                options={densities}
                onChange={({ target }) => choose({ density: target.value as Choices['density'] })}
              />
              <SelectField
                label="Times"
                {...whileOffline}
                value={time_zone ?? ''}
                options={timeZonesWith(time_zone)}
                onChange={({ target }) =>
                  choose({ time_zone: target.value === '' ? null : target.value })
                }
              />
              <NoticeChoices chosen={notices} />
            </div>
          )}
        </Region>
        {error && (
          <div className="mt-3">
            <Refusal error={error} />
          </div>
        )}
      </div>
    </Panel>
  )
}
