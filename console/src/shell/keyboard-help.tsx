/** `?`: all keys, and the switch for those who need them off. */
import { useState } from 'react'
import Dialog from '../design/dialog.tsx'
import { CheckField } from '../design/field.tsx'
import { places } from './places.ts'
import { areShortcutsOff, switchShortcuts } from './shortcuts.ts'

const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['⌘ K or Ctrl K', 'Search and commands'],
      ['c', 'Create a document'],
      ['.', 'API calls of this page'],
      ['`', 'The Workbench: requests, errors, a shell and the JSON'],
      ['?', 'This help'],
      ['Esc', 'Close'],
    ],
  ],
  [
    'Lists',
    [
      ['j and k', 'Next and previous row'],
      ['Enter', 'Open'],
      ['x or Space', 'Select'],
      ['Shift x', 'Select up to here'],
      ['*', 'Select all that match'],
      ['a, p and i', 'Approve, pay or issue what is selected'],
      ['/', 'Find in the list'],
      ['a, d, p and i', 'On Home: approve, dispute, pay or issue the row'],
    ],
  ],
  [
    'A document',
    [
      ['j and k', 'Next and previous of the list'],
      ['l', 'The list beside it, on a wide screen'],
      ['Esc', 'Back to the list'],
      ['e', 'Edit the draft'],
      ['i', 'Issue'],
      ['a', 'Approve or accept'],
      ['d', 'Dispute'],
      ['p', 'Pay'],
    ],
  ],
  [
    'Go to',
    places.flatMap(({ keys, title }) => (keys ? [[keys.replace(' ', ' then '), title]] : [])),
  ] as never,
]

const KeyboardHelp = ({ onClose }: { onClose: () => void }) => {
  const [areOn, setAreOn] = useState(!areShortcutsOff())
  return (
    <Dialog
      title="Keyboard shortcuts"
      lead="No key changes anything without a question."
      onClose={onClose}
      size="large"
    >
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3 className="border-b border-line pb-1 font-semibold">{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key} className="flex justify-between gap-4 py-1">
                  <dt>{meaning}</dt>
                  <dd>
                    <kbd className="rounded-sm border border-line bg-canvas px-1.5 font-mono text-xs">
                      {key}
                    </kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="mt-5 border-t border-line pt-3">
        <CheckField
          label="Single keys"
          hint="Switch them off if speech input or another tool types them by accident. ⌘ K stays."
          checked={areOn}
          onChange={(event) => {
            switchShortcuts(event.target.checked)
            setAreOn(event.target.checked)
          }}
        />
      </div>
    </Dialog>
  )
}

export default KeyboardHelp
