/** Console 2.3: on the machine of a developer, a link that somebody asks for is printed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { cookieOf, tokenOf } from '../support/identity/link-requests.ts'
import { launchProgram, readyAddress } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

test('npm start prints where to begin, and the link, which signs in the browser that asked, once', async () => {
  const dataDir = temporaryFolder()
  const program = launchProgram({ DATA_DIR: dataDir })
  const baseUrl = await readyAddress(program)
  const { organization } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  const { email } = organization.admin
  const asked = await callApi({ baseUrl }, 'POST', '/auth/links', { body: { email } })
  assert.deepEqual([asked.status, asked.body.delivery], [202, 'console'])
  await until('the link is printed', () => program.output().includes(`Sign-in link of ${email}`))
  for (const path of ['/v1', '/app', '/v1/docs', '/mcp']) {
    assert.match(program.output(), new RegExp(`${baseUrl}${path}\\s`))
  }
  const body = { token: tokenOf({ text: program.output() }) }
  const redeem = (headers: Record<string, string>) =>
    callApi({ baseUrl }, 'POST', '/auth/links/redeem', { body, headers })
  assert.equal((await redeem({})).status, 401)
  assert.equal((await redeem({ cookie: cookieOf(asked) })).status, 201)
  assert.equal((await redeem({ cookie: cookieOf(asked) })).status, 401)
})
