/** The routes of the console, with what an office has behind them. */
import { inTime } from '../until.ts'
import type { Page } from './browser.ts'
import type { busyOffice } from './busy-office.ts'

type Office = Partial<Awaited<ReturnType<typeof busyOffice>>>

/** Of somebody who is signed in, below the address of the organization. */
export const routesOf = ({ bill, month }: Office) => ({
  home: '/',
  documents: '/documents',
  document: `/documents/${bill}`,
  draft: '/documents/new',
  proof: `/documents/${bill}/provenance`,
  payments: '/payments',
  calendar: `/payments?view=calendar&month=${month}`,
  approvals: '/approvals',
  rules: '/approvals/rules',
  treasury: '/treasury',
  finance: '/finance',
  connections: '/connections',
  keys: '/keys',
  webhooks: '/webhooks',
  events: '/events',
  requests: '/requests',
  settings: '/settings',
  audit: '/audit',
  sessions: '/sessions',
})

/** Opens an address, until all that the page asks for is there. */
export const openPage = async (page: Page, name: string, url: string): Promise<void> => {
  await page.goto(url)
  // The frame around the page has headings of its own.
  await page.locator('main h1').first().waitFor()
  await hasLoaded(page, name)
}

/** The page looks itself whenever something changes: asking it again and again would slow it. */
export const hasLoaded = (page: Page, name: string): Promise<void> =>
  inTime(
    `${name} has loaded`,
    page.evaluate<void>(`new Promise((done) => {
      const look = () => {
        if (document.querySelector('main .animate-pulse') !== null) return
        observer.disconnect()
        done()
      }
      const observer = new MutationObserver(look)
      observer.observe(document, { subtree: true, childList: true, attributes: true })
      look()
    })`),
  )
