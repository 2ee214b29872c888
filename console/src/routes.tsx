/** All addresses of the console. Those of an organization carry its id, so none can open another's. */
import {
  createRootRoute,
  createRoute,
  getRouteApi,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from './api/call.ts'
import { currentSession } from './api/session.ts'
import { actFor, hasSession } from './api/signed-in.ts'
import { documentFiltersOf } from './documents/filters.ts'
import { FailedPage } from './shell/failed-page.tsx'
import { PendingPage } from './shell/pending-page.tsx'

const textsOf =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [name in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]])),
    ) as { [name in Name]?: string }

/** Whoever has no session signs in first, and comes back then. */
const requireSession = async (to: string, organization?: string): Promise<void> => {
  if (!(await hasSession(organization))) throw redirect({ to: '/sign-in', search: { to } })
}

type Loader = Parameters<typeof lazyRouteComponent>[0]

/** Offline, a page that was not loaded yet says so: the router would reload, and lose the others. */
const loaded = (load: Loader, name?: string) =>
  lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw navigator.onLine ? error : new ApiError(0, undefined)
      }),
    name,
  )

const missing = () => import('./shell/missing-page.tsx')
const root = createRootRoute({ notFoundComponent: loaded(missing) })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: textsOf('to'),
  component: loaded(() => import('./sign-in/sign-in-page.tsx')),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: loaded(() => import('./sign-in/setup-page.tsx')),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: loaded(() => import('./sign-in/invitation-page.tsx')),
})

const link = createRoute({
  getParentRoute: () => root,
  path: '/link',
  component: loaded(() => import('./sign-in/link-page.tsx')),
})

const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  validateSearch: textsOf('user_code'),
  beforeLoad: ({ location }: { location: { href: string } }) => requireSession(location.href),
  component: loaded(() => import('./sign-in/device-page.tsx')),
})

const askedLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  component: loaded(() => import('./sign-in/ask-link-page.tsx')),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  validateSearch: textsOf('to', 'problem'),
  component: loaded(() => import('./sign-in/signed-in-page.tsx')),
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    if (!(await hasSession())) throw redirect({ to: '/sign-in', search: {} })
    throw redirect({ to: '/o/$org', params: { org: currentSession()!.organization.id } })
  },
})

/** Whoever is signed in has the frame of an organization also where there is no page. */
const elsewhere = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: async () => {
    await hasSession()
    throw notFound()
  },
})

const organization = createRoute({
  getParentRoute: () => root,
  path: '/o/$org',
  beforeLoad: async ({ params, location }) => {
    await requireSession(location.href, params.org)
    try {
      await actFor(params.org)
    } catch (error) {
      // What is no id is no organization either.
      if (error instanceof ApiError && [400, 404].includes(error.status)) throw notFound()
      throw error
    }
  },
  component: loaded(() => import('./shell/shell.tsx')),
  errorComponent: FailedPage,
})

/** What all pages of an organization have. */
const inOrganization = { getParentRoute: () => organization, pendingComponent: PendingPage }

const page = <Path extends string>(path: Path, load: Loader) =>
  createRoute({ ...inOrganization, path, component: loaded(load) })

const documents = createRoute({
  ...inOrganization,
  path: '/documents',
  validateSearch: documentFiltersOf,
  component: loaded(() => import('./documents/documents-page.tsx')),
})

const document = createRoute({
  ...inOrganization,
  path: '/documents/$document',
  validateSearch: (search: Record<string, unknown>) => ({
    ...documentFiltersOf(search),
    ...textsOf('from')(search),
  }),
  component: loaded(() => import('./documents/document-page.tsx')),
})

/** A list whose filters stand in the address. */
const filtered = <Path extends string, Name extends string>(
  path: Path,
  names: readonly Name[],
  load: Loader,
) =>
  createRoute({
    ...inOrganization,
    path,
    validateSearch: textsOf(...names),
    component: loaded(load),
  })

const newDraft = createRoute({
  ...inOrganization,
  path: '/documents/new',
  component: loaded(() => import('./documents/draft-page.tsx'), 'NewDraftPage'),
})

const editDraft = createRoute({
  ...inOrganization,
  path: '/documents/$document/edit',
  component: loaded(() => import('./documents/draft-page.tsx'), 'EditDraftPage'),
})

const provenance = page(
  '/documents/$document/provenance',
  () => import('./documents/provenance-page.tsx'),
)
const home = page('/', () => import('./home/home-page.tsx'))

const paymentList = loaded(() => import('./payments/payment-list.tsx'))
const paymentCalendar = loaded(() => import('./payments/payment-calendar.tsx'))
const paymentView = (view: string | undefined) =>
  view === 'calendar' ? paymentCalendar : paymentList

const paymentsRoute = getRouteApi('/o/$org/payments')

const PaymentsPage = () => {
  const View = paymentView(paymentsRoute.useSearch().view)
  return <View />
}

const paymentFilters = textsOf(
  'status',
  'direction',
  'view',
  'month',
  'currency',
  'settled_from',
  'settled_to',
)

/** Two pages at one address, of which only the one that is asked for is loaded. */
const payments = createRoute({
  ...inOrganization,
  path: '/payments',
  validateSearch: paymentFilters,
  loaderDeps: ({ search }) => ({ view: search.view }),
  loader: ({ deps }) => paymentView(deps.view).preload?.(),
  component: PaymentsPage,
})

const approvals = filtered(
  '/approvals',
  ['status', 'approval'],
  () => import('./approvals/approvals-page.tsx'),
)
const approvalRules = page('/approvals/rules', () => import('./approvals/rules-page.tsx'))
const treasury = filtered('/treasury', ['account'], () => import('./treasury/treasury-page.tsx'))
const finance = filtered('/finance', ['role', 'status'], () => import('./finance/finance-page.tsx'))
const connections = page('/connections', () => import('./connections/connections-page.tsx'))
const keys = page('/keys', () => import('./keys/keys-page.tsx'))
const webhooks = page('/webhooks', () => import('./webhooks/webhooks-page.tsx'))
const webhook = filtered(
  '/webhooks/$webhook',
  ['delivery'],
  () => import('./webhooks/webhook-page.tsx'),
)
const events = filtered('/events', ['type', 'event'], () => import('./developers/events-page.tsx'))
const requests = filtered(
  '/requests',
  ['status', 'error_code', 'replayed', 'key', 'path', 'since', 'until', 'request', 'reads'],
  () => import('./developers/requests-page.tsx'),
)
const audit = filtered('/audit', ['user'], () => import('./settings/audit-page.tsx'))
const sessions = page('/sessions', () => import('./settings/sessions-page.tsx'))
const settings = page('/settings', () => import('./settings/settings-page.tsx'))

const nowhere = createRoute({
  ...inOrganization,
  path: '$',
  component: loaded(missing, 'MissingInOrganization'),
})

export const routeTree = root.addChildren([
  start,
  signIn,
  setup,
  invitation,
  link,
  device,
  askedLink,
  signedIn,
  elsewhere,
  organization.addChildren([
    home,
    documents,
    document,
    newDraft,
    editDraft,
    provenance,
    payments,
    approvals,
    approvalRules,
    treasury,
    finance,
    connections,
    keys,
    webhooks,
    webhook,
    events,
    requests,
    settings,
    audit,
    sessions,
    nowhere,
  ]),
])
