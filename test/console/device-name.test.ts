/** How the console names the devices of a person's sessions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from '../../console/src/settings/device-name.ts'

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const onWindows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const onIPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)'

const cases = [
  ['browser', `${onWindows} ${webKit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  ['browser', `${onWindows} ${webKit} Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
  ['browser', `${onIPhone} ${webKit} Version/19.0 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  ['browser', 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Firefox/150.0', 'Firefox on Linux'],
  ['browser', null, 'A browser'],
  ['cli', 'docex/1.16.0 node/26', 'Command line (docex 1.16.0)'],
  ['cli', 'curl/8.5.0', 'Command line (curl 8.5.0)'],
  ['cli', `${onWindows} Firefox/150.0`, 'Token made in Firefox on Windows'],
  ['cli', null, 'Command line'],
] as const

for (const [client, user_agent, name] of cases)
  test(`a session of ${user_agent} is shown as ${name}`, () => {
    assert.equal(deviceName({ client, user_agent, address: '127.0.0.1' }), name)
  })

test('a token that the service has handed out itself is not taken for a sign-in', () => {
  const handedOut = { client: 'cli', user_agent: null, address: null } as const
  assert.equal(deviceName(handedOut), 'Token from the service')
})
