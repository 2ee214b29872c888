/** The router: where the console is served, and how an address carries the filters of a page. */
import { createRouter } from '@tanstack/react-router'
import { routeTree } from './routes.tsx'
import { FailedPage } from './shell/failed-page.tsx'

const queryOf = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}

/** An address with half of an escape matches no route, and would not even be of an organization. */
const legible = ({ url }: { url: URL }): undefined => {
  try {
    decodeURIComponent(url.pathname)
  } catch {
    url.pathname = url.pathname.replaceAll('%', '%25')
  }
}

export const createConsoleRouter = () =>
  createRouter({
    routeTree,
    basepath: '/app',
    rewrite: { input: legible },
    // Filters are texts: ?status=404 and not ?status="404".
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => queryOf(search),
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: FailedPage,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
