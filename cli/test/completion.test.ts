/** What a shell completes, and how its script is loaded. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasProgram } from '../../test/support/processes/has-program.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { cliWith } from './support/run-cli.ts'

const cli = cliWith()

test('completion knows the commands, their flags and choices', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    assert.match((await cli(['completion', shell])).stdout, /docex complete/)
  }
  const after = async (...words: string[]) =>
    (await cli(['complete', '--', ...words])).stdout.split('\n')
  assert((await after()).includes('documents'))
  assert((await after('documents')).includes('issue'))
  assert((await after('documents', 'list')).includes('--status'))
  assert((await after('finance', 'offers')).includes('accept'))
  assert((await after('trigger')).includes('payment.settled'))
  assert((await after('trigger', '--override', 'notes=x')).includes('payment.settled'))
  assert((await after('--profile', 'sandbox', 'trigger')).includes('payment.settled'))
  assert(!(await after('trigger', 'payment.settled')).includes('payment.failed'))
  assert(!(await after()).includes('complete'))
})

const withoutZsh = !hasProgram('zsh') && 'apt-get install zsh installs it'

test('zsh completes at the first TAB, from eval and from fpath', { skip: withoutZsh }, async () => {
  const folder = temporaryFolder()
  const file = join(folder, '_docex')
  writeFileSync(file, (await cli(['completion', 'zsh'])).stdout)
  const shell = 'docex() print $#; compadd() print added $2; compdef() print defined $@'
  const typed = 'words=(docex documents l); CURRENT=3; _docex'
  const loads = [`eval "$(<${file})"; ${typed}`, `fpath=(${folder}); autoload -Uz _docex; ${typed}`]
  const [fromEval, fromFpath] = loads.map((load) => {
    const { stdout, stderr } = spawnSync('zsh', ['-fc', `${shell}; ${load}`], { encoding: 'utf8' })
    return stdout + stderr
  })
  assert.equal(fromEval, 'defined _docex docex\nadded 3\n')
  assert.equal(fromFpath, 'added 3\n')
})
