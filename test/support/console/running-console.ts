/** The console in a browser, beside the API of the organization that it shows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { callApi } from '../api-client.ts'
import { migratedDataDir } from '../database/server-template.ts'
import { beginProgram, readyAddress, stepsOf } from '../processes/program.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { inTime } from '../until.ts'
import { type Page, buildConsole, launchBrowser, watchedPage } from './browser.ts'

interface Practice {
  console_url: string
  organization: { id: string; api_key: string; admin: Person }
  demo: { id: string; api_key: string; admin_session_token: string }
  connection_id: string
  live: {
    id: string
    admin_session_token: string
    counterparty_id: string
    counterparty_admin_session_token: string
    connection_id: string
  }
  database_url: string
}

interface Person {
  email: string
  password: string
}

/** Signs the admin of the practice organization in. */
export const startConsole = async (settings: Record<string, string> = {}) => {
  const dataDir = await migratedDataDir()
  const guardDir = temporaryFolder()
  const consoleDist = buildConsole()
  const launch = (more: Record<string, string>) =>
    beginProgram({
      DATA_DIR: dataDir,
      ROLLBACK_GUARD_DIR: guardDir,
      CONSOLE_DIR: consoleDist,
      SANDBOX_STEP_MS: '1h',
      RATE_LIMITS: 'off',
      ...more,
    })
  const program = launch(settings)
  let running = program
  after(async () => {
    const status = running.exitStatus()
    await running.stop()
    assert.equal(status, null, `The service ended by itself: ${running.output().slice(-2000)}`)
  })
  const step = stepsOf(() => running.output())
  const baseUrl = await step('the service starts', () => readyAddress(program))
  /** Stops the service, and starts it at the same address with other settings. */
  const restart = async (more: Record<string, string>): Promise<void> => {
    await running.stop()
    running = launch({ ...more, PORT: new URL(baseUrl).port })
    await readyAddress(running)
  }
  const practice = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Practice
  const browser = await step('a browser starts', () => launchBrowser())
  const context = await browser.newContext()
  const { page, complaints } = await watchedPage(context, baseUrl)
  const signIn = (at: Page, person: Person) =>
    step('a person signs in', () => signInAt(at, practice.console_url, person))
  await signIn(page, practice.organization.admin)
  return {
    baseUrl,
    dataDir,
    program,
    practice,
    consoleDist,
    browser,
    context,
    page,
    complaints,
    signIn,
    restart,
    ...callsOf(baseUrl, practice),
    at: (path: string) => `${baseUrl}/app/o/${practice.organization.id}${path}`,
    /** As if the person had hidden them: Home then has its charts. */
    endFirstSteps: () =>
      page.evaluate<void>(
        `localStorage.setItem('first-steps-ended ${practice.organization.id}', '1')`,
      ),
  }
}

export type RunningConsole = Awaited<ReturnType<typeof startConsole>>

const signInAt = async (page: Page, url: string, { email, password }: Person): Promise<void> => {
  try {
    await page.goto(url)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
  } catch (error) {
    const text = page.evaluate<string>('document.body.innerText.slice(0, 1000)')
    const shown = await inTime('the page answers', text, 10_000).catch(String)
    throw new Error(`${String(error)}\n${page.url()} shows:\n${shown}`, { cause: error })
  }
}

/** What both sides and other people do through the API. */
const callsOf = (baseUrl: string, { organization, demo, connection_id }: Practice) => {
  const post = async (key: string | undefined, path: string, body?: object) => {
    const caller = key === undefined ? {} : { key }
    const reply = await callApi({ baseUrl }, 'POST', path, { ...caller, body })
    assert(reply.status < 300, `POST ${path} answers ${reply.status}: ${reply.text}`)
    return reply.body
  }
  const get = async (key: string, path: string) =>
    (await callApi({ baseUrl }, 'GET', path, { key })).body
  const openSession = async ({ email, password }: Person): Promise<string> => {
    const body = { email, password }
    return (await callApi({ baseUrl }, 'POST', '/auth/sessions', { body })).body.token
  }
  return {
    post,
    get,
    openSession,
    /** Issues an invoice to the practice organization, which sees it as a bill. */
    issueBill: async (description: string, unitPrice = 19.99): Promise<string> => {
      const { id } = await post(demo.api_key, '/v1/documents', {
        connection_id,
        document_type: 'invoice',
        external_refs: { sandbox_scenario: 'manual', issuer_ref: 'SO-4711' },
        line_items: [{ description, quantity: 12, unit_price: unitPrice, tax_rate: 0.08 }],
      })
      await post(demo.api_key, `/v1/documents/${id}/issue`)
      return id
    },
    statusOf: async (id: string): Promise<string> =>
      (await get(organization.api_key, `/v1/documents/${id}`)).status,
    /** Another person of the practice organization. */
    addMember: async (person: Person, role: string): Promise<void> => {
      const admin = await openSession(organization.admin)
      const invitation = { email: person.email, role }
      const { token } = await post(admin, '/v1/invitations', invitation)
      const body = { token, name: 'Grace', password: person.password }
      const { status } = await callApi({ baseUrl }, 'POST', '/auth/invitations/accept', { body })
      assert(status < 300)
    },
    approvePending: async (person: Person): Promise<void> => {
      const session = await openSession(person)
      const [{ id, digest }] = (await get(session, '/v1/approvals?status=pending')).data
      await post(session, `/v1/approvals/${id}/approve`, { digest })
    },
  }
}
