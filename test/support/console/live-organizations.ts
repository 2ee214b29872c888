/** The two live organizations of a running console, as those that really pay each other. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import { startFakeStripe } from '../payments/fake-stripe.ts'
import { runAdmin } from '../processes/program.ts'
import { watchedPage } from './browser.ts'
import { startConsole } from './running-console.ts'

/** The console of a service with a processor, and a page of each side. */
export const startLiveConsole = async (settings: Record<string, string> = {}) => {
  const fakeStripe = await startFakeStripe()
  const console = await startConsole({ ...fakeStripe.settings(), ...settings })
  const { baseUrl, browser, dataDir, practice, post, signIn } = console
  const admin = async (...command: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runAdmin(command, { DATA_DIR: dataDir })
    assert.equal(exitCode, 0, stderr)
    return stdout
  }
  const connectToProcessor = async (organization: string, name: string): Promise<void> => {
    const accounts = ['--customer', `cus_${name}`, '--methods', 'USD=pm_usd']
    await admin('processor', 'connect', organization, ...accounts, '--payout', `acct_${name}`)
  }
  const { id, counterparty_id, counterparty_admin_session_token: session } = practice.live
  for (const [organization, name] of [
    [id, 'ours'],
    [counterparty_id, 'theirs'],
  ] as const) {
    await admin('organization', 'verify', organization)
    await connectToProcessor(organization, name)
  }
  const grace = { email: 'grace@example.com', password: 'a long enough passphrase' }
  const invitation = { email: grace.email, role: 'admin' }
  const { token } = await post(session, '/v1/invitations', invitation)
  const body = { token, name: 'Grace', password: grace.password }
  const accepted = await callApi({ baseUrl }, 'POST', '/auth/invitations/accept', { body })
  assert(accepted.status < 300, accepted.text)
  const theirs = await watchedPage(await browser.newContext(), baseUrl)
  await signIn(theirs.page, grace)
  return {
    console,
    fakeStripe,
    theirs,
    live: (path: string) => `${baseUrl}/app/o/${id}${path}`,
    their: (path: string) => `${baseUrl}/app/o/${counterparty_id}${path}`,
    /** A session of our own person at a bank that is connected with ours, and trades nothing. */
    lenderSession: async (): Promise<string> => {
      const { email, password } = practice.organization.admin
      const named = ['--name', 'Harbour Bank', '--verified', '--admin-email', email]
      const [bank] = /org_\w+/.exec(await admin('organization', 'create', ...named))!
      await connectToProcessor(bank, 'bank')
      const signIn = { email, password, organization_id: bank }
      const { token } = await post(undefined, '/auth/sessions', signIn)
      const { id: connection } = await post(token, '/v1/connections', { organization_id: id })
      await post(practice.live.admin_session_token, `/v1/connections/${connection}/accept`)
      return token
    },
    /** An invoice of the other side, issued to ours. */
    issueLiveBill: async (): Promise<string> => {
      const { connection_id } = practice.live
      const bill = await post(session, '/v1/documents', {
        connection_id,
        document_type: 'invoice',
        line_items: [{ description: 'Beams', quantity: 1, unit_price: 1234.5, tax_rate: 0 }],
      })
      await post(session, `/v1/documents/${bill.id}/issue`)
      return bill.id
    },
  }
}

export type LiveConsole = Awaited<ReturnType<typeof startLiveConsole>>
