/** The places of the console, in the order of the navigation. */
import type { Enablement } from '../api/types.ts'
import type { IconName } from '../design/icon.tsx'

export interface Place {
  to: string
  title: string
  icon: IconName
  keys?: string
  /** Of the API, which the service may run without. */
  family?: keyof Enablement['families']
}

export const placeGroups: readonly (readonly [title: string, places: readonly Place[]])[] = [
  [
    '',
    [
      { to: '/o/$org', title: 'Home', icon: 'home', keys: 'g h' },
      { to: '/o/$org/documents', title: 'Documents', icon: 'documents', keys: 'g d' },
      {
        to: '/o/$org/payments',
        title: 'Payments',
        icon: 'payments',
        keys: 'g p',
        family: 'payments',
      },
      { to: '/o/$org/approvals', title: 'Approvals', icon: 'approvals', keys: 'g a' },
      {
        to: '/o/$org/treasury',
        title: 'Treasury',
        icon: 'treasury',
        keys: 'g t',
        family: 'treasury',
      },
      { to: '/o/$org/finance', title: 'Finance', icon: 'finance', keys: 'g f', family: 'finance' },
      { to: '/o/$org/connections', title: 'Connections', icon: 'connections', keys: 'g c' },
    ],
  ],
  [
    'Developers',
    [
      { to: '/o/$org/keys', title: 'Keys', icon: 'keys', keys: 'g k', family: 'keys' },
      {
        to: '/o/$org/webhooks',
        title: 'Webhooks',
        icon: 'webhooks',
        keys: 'g w',
        family: 'webhooks',
      },
      { to: '/o/$org/events', title: 'Events', icon: 'events', keys: 'g e' },
      { to: '/o/$org/requests', title: 'Requests', icon: 'requests', keys: 'g r', family: 'keys' },
    ],
  ],
  ['Organization', [{ to: '/o/$org/settings', title: 'Settings', icon: 'settings', keys: 'g s' }]],
]

export const places = placeGroups.flatMap(([, group]) => group)
