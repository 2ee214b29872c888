/** Commands around the service: docs, open, mcp, completion, capabilities. */
import { spawn } from 'node:child_process'
import { Argument, type Command } from 'commander'
import { ConnectionError } from '../../../sdk/src/errors.ts'
import { contextOf } from '../context.ts'
import { exitCodes } from '../failures.ts'
import type { Io } from '../io.ts'
import { passMessages } from '../mcp-stdio.ts'
import { printJson, tableText } from '../output.ts'
import { baseUrlOf } from '../profiles.ts'
import { wordsAfter } from '../completion.ts'

export const addTools = (program: Command, io: Io): void => {
  addDocs(program, io)
  addOpen(program, io)
  addMcp(program, io)
  addCompletion(program, io)
  addCapabilities(program, io)
}

interface DocsSection extends Record<string, unknown> {
  title: string
  url: string
  text: string
}

/** A section as the search of the docs pages has it. */
interface SearchEntry {
  title: string
  page: string
  address: string
  text: string
}

/** Those with the words in their title come first. */
const searchDocs = (
  entries: readonly SearchEntry[],
  words: readonly string[],
  baseUrl: string,
): DocsSection[] =>
  entries
    .map((entry) => {
      const title = entry.title.toLowerCase()
      const all = `${title} ${entry.page} ${entry.text}`.toLowerCase()
      const isMatch = words.every((word) => all.includes(word))
      const score = isMatch ? 1 + words.filter((word) => title.includes(word)).length : 0
      return { entry, score }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ entry: { title, address, text } }) => ({
      title,
      url: new URL(address, baseUrl).href,
      text: excerptOf(text, words),
    }))

/** The text around the first word that is found in it. */
const excerptOf = (text: string, words: readonly string[]): string => {
  const lower = text.toLowerCase()
  const at = words.map((word) => lower.indexOf(word)).find((one) => one >= 0) ?? 0
  return text
    .slice(Math.max(0, text.lastIndexOf('. ', at) + 1))
    .trim()
    .slice(0, 160)
}

const addDocs = (program: Command, io: Io): void => {
  const command = program
    .command('docs')
    .argument('<words...>', 'What to look for.')
    .summary('Search the docs of the service')
    .addHelpText('after', '\nExample:\n  docex docs idempotency key')
    .action(async (words: string[]) => {
      const { options } = contextOf(io, command)
      const baseUrl = baseUrlOf(io, options.profile)
      const response = await fetch(`${baseUrl}/v1/docs/search.json`, { signal: io.signal }).catch(
        (cause: unknown) => {
          throw new ConnectionError(`There is no service at ${baseUrl}.`, { cause })
        },
      )
      const wanted = words.flatMap((one) => one.toLowerCase().split(/\s+/)).filter(Boolean)
      const entries: unknown = response.ok ? await response.json().catch(() => null) : null
      if (!Array.isArray(entries)) {
        throw new ConnectionError(`${baseUrl} has no docs to search (${response.status}).`)
      }
      const found = searchDocs(entries, wanted, baseUrl)
      if (options.json === true) printJson(io, { data: found })
      else if (found.length === 0) io.stdout.write(`Nothing in the docs has ${words.join(' ')}.\n`)
      else
        for (const { title, url, text } of found) io.stdout.write(`${title}\n  ${url}\n  ${text}\n`)
    })
}

const pages: Readonly<Record<string, string>> = {
  docs: '/v1/docs',
  openapi: '/v1/openapi.json',
  changelog: '/v1/docs/changelog',
}

const openers: Readonly<Record<string, string>> = { darwin: 'open', linux: 'xdg-open' }

const addOpen = (program: Command, io: Io): void => {
  const command = program
    .command('open')
    .addArgument(new Argument('[page]', 'The page.').choices(Object.keys(pages)).default('docs'))
    .summary('Open a page of the service in the browser')
    .description('Print the address of a page, and open it in the browser of a terminal.')
    .addHelpText('after', '\nExample:\n  docex open docs')
    .action((page: string) => {
      const { options } = contextOf(io, command)
      const url = `${baseUrlOf(io, options.profile)}${pages[page]}`
      if (options.json === true) printJson(io, { url })
      else io.stdout.write(`${url}\n`)
      const opener = openers[process.platform]
      if (io.stdout.isTTY !== true || options.nonInteractive === true || opener === undefined)
        return
      // A machine without a browser still has the address.
      spawn(opener, [url], { stdio: 'ignore', detached: true })
        .on('error', () => undefined)
        .unref()
    })
}

const addMcp = (program: Command, io: Io): void => {
  const command = program
    .command('mcp')
    .summary('Serve MCP on stdio for a client on this machine')
    .description('Pass MCP messages on stdin to the service and its answers to stdout.')
    .option('--readonly', 'Only tools that read.')
    .option('--toolsets <names>', 'Only these toolsets, with commas.')
    .addHelpText('after', '\nExample:\n  docex mcp --toolsets documents,payments')
    .action(async () => {
      const { options, credential } = contextOf(io, command)
      const { apiKey, baseUrl } = credential()
      const isReadOnly = options['readonly'] === true
      const toolsets = options['toolsets'] as string | undefined
      await passMessages({ apiKey, baseUrl, isReadOnly, toolsets }, io.stdin, io.stdout)
    })
}

/** Each asks `docex complete` for what may follow. */
const completionScripts: Readonly<Record<string, string>> = {
  bash: `_docex() { COMPREPLY=($(compgen -W "$(docex complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}")); }
complete -o default -F _docex docex
`,
  zsh: `#compdef docex
_docex() { compadd -- \${(f)"$(docex complete -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"} }
if [[ $funcstack[1] == _docex ]]; then _docex; else compdef _docex docex; fi
`,
  fish: `complete -c docex -f -a '(docex complete -- (commandline -opc)[2..] 2>/dev/null)'
`,
}

/** Not for people: the completion scripts call it. */
const helperName = 'complete'

const addCompletion = (program: Command, io: Io): void => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'The shell.').choices(Object.keys(completionScripts)))
    .summary('Print the completion of a shell')
    .addHelpText('after', '\nExample:\n  eval "$(docex completion bash)"')
    .action((shell: string) => void io.stdout.write(completionScripts[shell]!))
  program
    .command(helperName, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      io.stdout.write(`${wordsAfter(program, words).join('\n')}\n`)
    })
}

const addCapabilities = (program: Command, io: Io): void => {
  const command = program
    .command('capabilities')
    .summary('List every command, its arguments and flags')
    .description(
      'List every command for programs: with --json also arguments, flags and exit codes.',
    )
    .addHelpText('after', '\nExample:\n  docex capabilities --json')
    .action(() => {
      const { options } = contextOf(io, command)
      const commands = leavesOf(program).map(described)
      if (options.json !== true) {
        return void io.stdout.write(tableText(io, commands, ['command', 'summary']))
      }
      const codes = Object.values(exitCodes).map(({ code, meaning }) => [code, meaning] as const)
      const environment = ['DOCEX_API_KEY', 'DOCEX_BASE_URL', 'DOCEX_PROFILE', 'DOCEX_CONFIG_DIR']
      printJson(io, {
        version: program.version(),
        exit_codes: Object.fromEntries(codes),
        environment: [...environment, 'NO_COLOR'],
        global_flags: program.options.map(({ flags, description }) => ({ flags, description })),
        commands,
      })
    })
}

const leavesOf = (command: Command): Command[] =>
  command.commands
    .filter((one) => one.name() !== helperName)
    .flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)))

const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()]

const described = (command: Command) => ({
  command: wordsOf(command).join(' '),
  summary: command.summary(),
  arguments: command.registeredArguments.map((argument) => ({
    name: argument.name(),
    required: argument.required,
    description: argument.description,
    ...(argument.argChoices === undefined ? {} : { choices: argument.argChoices }),
  })),
  flags: command.options.map(({ flags, description }) => ({ flags, description })),
})
