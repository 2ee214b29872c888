/** `docex verify`: the published verifier, whose words and exit codes become those of a command. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { type Context, contextOf } from '../context.ts'
import { FailedResult, Unverifiable } from '../failures.ts'
import type { Io } from '../io.ts'

const verifier = fileURLToPath(new URL('../../../verifier/verify-bundle.mjs', import.meta.url))

export const addVerify = (program: Command, io: Io): void => {
  const command = program
    .command('verify')
    .argument('<bundle>', 'A proof, as documents export prints it, or a PDF with one; - for stdin.')
    .summary('Verify a proof offline')
    .description(
      'Run the published verifier on a proof, without a network. Without --trust nobody' +
        ' vouches for the log, and the exit code is 1, as it is if a file cannot be read, is no' +
        ' proof, or is no trust file.',
    )
    .option('--trust <key-or-file>', 'A verifier key of the log, or a file of log keys.')
    .option('--digest <hex>', 'The Svc-Bundle-Digest that it must have.')
    .option('--peer <file>', 'The proof of the other party: both were shown the same history.')
    .option('--since <file>', 'An older proof of the document: nothing of it was taken back.')
    .option('--epochs <file>', 'With --since after a restore: what log epochs --json prints.')
    .option('--open <file>', 'An opening that the holder of a sealed step has handed over.')
    .option('--receipts <file>', 'Lines of Svc-Event that it must have.')
    .option('--receipt', 'The file is a signed receipt, as documents receipt prints it.')
    .option(
      '--consistency <old-and-new...>',
      'Two checkpoints or proofs; the file is what log consistency prints.',
    )
    .addHelpText(
      'after',
      '\nExamples:' +
        '\n  docex documents export doc_… > bundle.json' +
        '\n  docex documents render doc_… --format pdf --proof 1 > invoice.pdf' +
        '\n  docex log keys --json > trust.json' +
        '\n  docex verify bundle.json --trust trust.json' +
        '\n  docex documents export doc_… | docex verify - --trust trust.json' +
        '\n  docex verify bundle.json --trust trust.json --since older.json',
    )
    .action(async (bundle: string) => {
      const context = contextOf(io, command)
      if (bundle === '-' || bundle === '/dev/stdin') await verifyInput(context)
      else verify(context, bundle, bundle)
    })
}

/** The verifier reads files only. */
const verifyInput = async (context: Context): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'docex-'))
  const file = join(folder, 'proof')
  try {
    writeFileSync(file, await buffer(context.io.stdin))
    verify(context, file, 'stdin')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const flagsOfVerifier = [
  'trust',
  'digest',
  'peer',
  'since',
  'epochs',
  'open',
  'receipts',
  'receipt',
  'consistency',
]

const verify = ({ io, options }: Context, file: string, name: string): void => {
  const flags = flagsOfVerifier.flatMap((flag) => {
    const given = options[flag]
    if (given === undefined) return []
    return given === true ? [`--${flag}`] : [`--${flag}`, ...[given as string | string[]].flat()]
  })
  const form = options.json === true ? ['--json'] : []
  const argv = [verifier, file, ...flags, ...form]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
  const isBundle = options['receipt'] === undefined && options['consistency'] === undefined
  const problem = status === 1 ? problemIn(stdout, { file, name, isBundle }) : undefined
  if (problem !== undefined) throw new Unverifiable(problem)
  io.stdout.write(stdout)
  io.stderr.write(stderr)
  if (status !== 0) throw new FailedResult()
}

const usage =
  'send one proof. --digest has 64 hexadecimal digits, --epochs goes with --since, --consistency' +
  ' takes two files, and it and --receipt go with --trust alone.'

const failureForm = /^INVALID (?<check>[A-Z_]+)[^:]*: (?<message>.*)/s

/** What the verifier says about the command line or a file, and not about a proof. */
const problemIn = (
  said: string,
  { file, name, isBundle }: { file: string; name: string; isBundle: boolean },
): string | undefined => {
  const { check, message = '' } = said.startsWith('{')
    ? (JSON.parse(said) as { check: string; message?: string })
    : (failureForm.exec(said)?.groups ?? {})
  if (check === 'FILE') return message.trim()
  if (check === 'TRUST')
    return `--trust: ${message.trim()}; docex log keys --json prints a trust file.`
  if (check === 'USAGE') return usage
  const isOfForm = ['JSON', 'CANONICAL', 'FORMAT', 'SHAPE'].includes(check ?? '')
  if (!isOfForm || !isBundle || saysThatItIsAProof(file)) return undefined
  return `${name}: this is not a proof bundle. documents export prints one.`
}

/** One that was changed or cut off is a proof still, and an invalid one. */
const saysThatItIsAProof = (file: string): boolean => {
  const bytes = readFileSync(file)
  return (
    bytes.subarray(0, 5).equals(Buffer.from('%PDF-')) ||
    /"format"\s*:\s*"svc-(?:proof-bundle|pledge-proof)\//.test(String(bytes))
  )
}
