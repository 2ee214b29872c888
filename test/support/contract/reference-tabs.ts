/** The examples of the reference, one for each operation and language, and how all of them run. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { cliWith } from '../../../cli/test/support/run-cli.ts'
import { type Block, type Tab, flattenSections, pagesOf } from '../../../src/docs/blocks.ts'
import type { docsOf } from '../../../src/docs/table-of-contents.ts'
import { type TabLabel, commandsIn, runExample } from './example-programs.ts'

export const tabsOf = (blocks: readonly Block[]): readonly Tab[] =>
  blocks.flatMap((block) => (block.kind === 'tabs' ? block.tabs : []))

/** The tabs of an operation in the reference. */
export const referenceTabsOf = (docs: ReturnType<typeof docsOf>) => {
  const sections = flattenSections(pagesOf(docs))
  return (id: string): readonly Tab[] =>
    tabsOf(sections.find((section) => section.id === id)?.aside ?? [])
}

export const tabIn = (tabs: readonly Tab[], label: string): string =>
  tabs.find((tab) => tab.label === label)?.text ?? ''

/** A refusal ends the program, as it does in the other languages. */
export const strictCurl = 'curl() { command curl -sS --fail-with-body -o /dev/null "$@"; }'

type Environment = Readonly<Record<string, string>>

/** Runs the examples one after the other: as one program, which is faster than one for each. */
export const runTabs = async (
  label: TabLabel,
  texts: readonly string[],
  folder: string,
  environment: Environment,
): Promise<void> => {
  if (label === 'CLI') return runCommands(texts, folder, environment)
  const program = label === 'TypeScript' ? asOneModule(texts) : texts.join('\n')
  const { status, stdout, stderr } = await runExample(label, program, folder, environment)
  assert.equal(status, 0, `${stderr}\n${stdout.slice(-2000)}`)
}

/** Imports stay at the top of a module; constants get a block of their own. */
const asOneModule = (texts: readonly string[]): string => {
  const blocks = texts.map((text) => {
    const lines = text.split('\n').filter((line) => !line.startsWith('import '))
    return `{\n${lines.join('\n')}\n}`
  })
  const imports = ["import { readFile } from 'node:fs/promises'", "import { Docex } from 'docex'"]
  return [...imports, ...blocks].join('\n')
}

const runCommands = async (
  texts: readonly string[],
  folder: string,
  environment: Environment,
): Promise<void> => {
  const cli = cliWith(environment)
  for (const { credential, argv } of await commandsIn(texts.join('\n'), environment)) {
    const found = argv.map((word) =>
      word === 'delivery-note.pdf' || word === 'invoice.xml' ? join(folder, word) : word,
    )
    const { code, stderr } = await cli(found, { env: { DOCEX_API_KEY: credential } })
    assert.equal(code, 0, `${argv.join(' ')}\n${stderr}`)
  }
}
