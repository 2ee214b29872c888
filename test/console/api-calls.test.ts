/** `</>`: the calls of a page work in a terminal (console 1.2). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { needsSession } from '../../console/src/api/calls-of-people.ts'
import { scopeNames } from '../../src/contract/scopes.ts'
import { operations } from '../../src/operations/index.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, openSession, post } = started
const run = promisify(execFile)

test('a command has a session token where no key is accepted', () => {
  const peopleOnly = ['session', 'admin', 'approver']
  for (const { id, method, path, allowed } of operations) {
    const url = path.replaceAll(/\{\w+\}/g, 'x')
    const expected = url.startsWith('/auth/') || peopleOnly.includes(allowed)
    assert.equal(needsSession({ method, url }), expected, id)
  }
  assert(needsSession({ url: '/v1/statistics?metric=requests&interval=day' }))
})

describe('the calls of a page', { skip: skipsLong ?? false }, () => {
  const paths = [
    '/',
    '/documents',
    '/settings',
    '/sessions',
    '/keys',
    '/requests',
    '/approvals/rules',
  ]
  const credentials = async () => {
    const session = await openSession(practice.organization.admin)
    const key = { name: 'All', scopes: scopeNames }
    const { key: secret } = await post(session, '/v1/keys', key)
    return { DOCEX_API_KEY: secret, DOCEX_SESSION_TOKEN: session }
  }
  for (const path of paths) {
    test(`all reads of ${path} are answered when they are pasted`, async () => {
      await page.goto(at(path))
      await page.locator('main h1').first().waitFor()
      await page.locator('main .animate-pulse').first().waitFor({ state: 'hidden' })
      await page.keyboard.press('.')
      await page.getByRole('heading', { name: 'API calls of this page' }).waitFor()
      assert.deepEqual(await accessibilityViolations(page), [])
      const commands = await page.evaluate<string[]>(
        `[...document.querySelectorAll('[role=dialog] pre')].map(({ innerText }) => innerText)`,
      )
      assert(commands.length > 0)
      const env = { ...process.env, ...(await credentials()) }
      for (const command of commands) {
        const script = `${command} -sS -m 10 -o /dev/null -w '%{http_code}'`
        const { stdout } = await run('sh', ['-c', script], { env })
        assert.equal(stdout, '200', command)
      }
    })
  }

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
