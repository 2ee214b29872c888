/** What the READMEs and docs/operating state without a service that runs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { readmeBlocks } from '../support/contract/readme-blocks.ts'
import { runAdmin } from '../support/processes/program.ts'

test('docs/operating lists the commands of operators', async () => {
  const [usage] = readmeBlocks('docs/operating/commands.md')
  const [, commands] = usage!.text.split('npm run admin -- <command>\n')
  const { stdout, stderr } = await runAdmin([], {})
  assert((stdout + stderr).includes(commands!), stdout + stderr)
})

test('each client says how it is installed, as the front page of the docs promises', () => {
  const commands = {
    sdk: 'npm install <this folder>/docex-*.tgz',
    'sdk-python': 'pip install ./sdk-python',
    cli: 'npm install -g docex-cli-*.tgz',
  }
  for (const [client, command] of Object.entries(commands)) {
    const file = resolve(import.meta.dirname, '../..', client, 'README.md')
    assert(readFileSync(file, 'utf8').includes(command), client)
  }
})
