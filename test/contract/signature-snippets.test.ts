/** Runs the documented verification snippets of each installed language on the vectors. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { renderMarkdown } from '../../src/docs/rendering/markdown.ts'
import { operations } from '../../src/operations/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface SignatureCase {
  secret: string
  header: string
  raw_body: string
  clock: number
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/signature.json', import.meta.url), 'utf8'),
) as {
  signed: (Omit<SignatureCase, 'secret' | 'clock'> & { secrets: string[]; timestamp: number })[]
  accepted: SignatureCase[]
  rejected: SignatureCase[]
}

const cases: [SignatureCase, boolean][] = [
  ...vectors.signed.flatMap(({ secrets, timestamp, ...rest }) =>
    secrets.map((secret): [SignatureCase, boolean] => [
      { ...rest, secret, clock: timestamp },
      true,
    ]),
  ),
  ...vectors.accepted.map((vector): [SignatureCase, boolean] => [vector, true]),
  ...vectors.rejected.map((vector): [SignatureCase, boolean] => [vector, false]),
  // Python turns no text of more than 4,300 digits into a number.
  [{ ...vectors.rejected[0]!, header: `t=${'1'.repeat(5_000)},v1=${'0'.repeat(64)}` }, false],
]
/** One case per line, which every language can read without a library. */
const input = cases
  .map(([{ secret, header, raw_body, clock }]) =>
    [secret, header, Buffer.from(raw_body).toString('base64'), clock].join('\t'),
  )
  .join('\n')

const folder = temporaryFolder()

const text = renderMarkdown(docsOf(operations, readConfig({})))
const snippet = (language: string): string => {
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))
  const code = [...blocks].map(([, block]) => block!).find((block) => block.includes('verify'))
  assert(code !== undefined, `the docs verify in ${language}`)
  return code
}

interface Language {
  name: string
  command: string
  file: string
  /** The snippet in a program that reads the cases and prints a result for each. */
  program(code: string): string
}

const languages: Language[] = [
  {
    name: 'js',
    command: process.execPath,
    file: 'run.mjs',
    program: (code) => `${code}
import { readFileSync } from 'node:fs'
for (const line of readFileSync(0, 'utf8').split('\\n')) {
  const [secret, header, body, now] = line.split('\\t')
  console.log(verify(secret, header, Buffer.from(body, 'base64'), Number(now)))
}`,
  },
  {
    name: 'python',
    command: 'python3',
    file: 'run.py',
    program: (code) => `${code}
import base64, sys
for line in sys.stdin.read().split("\\n"):
    secret, header, body, now = line.split("\\t")
    print(str(verify(secret, header, base64.b64decode(body), int(now))).lower())`,
  },
  {
    name: 'java',
    command: 'java',
    file: 'Run.java',
    program: (code) => {
      const [imports, rest] = code.split('public final class')
      return `${imports}
class Run {
  public static void main(String[] none) throws Exception {
    for (String line : new String(System.in.readAllBytes()).split("\\n")) {
      String[] part = line.split("\\t");
      byte[] body = java.util.Base64.getDecoder().decode(part[2]);
      System.out.println(Webhooks.verify(part[0], part[1], body, Long.parseLong(part[3])));
    }
  }
}
final class${rest}`
    },
  },
  {
    name: 'php',
    command: 'php',
    file: 'run.php',
    program: (code) => `${code}
foreach (explode("\\n", stream_get_contents(STDIN)) as $line) {
    [$secret, $header, $body, $now] = explode("\\t", $line);
    echo verify($secret, $header, base64_decode($body), (int) $now) ? "true\\n" : "false\\n";
}`,
  },
]

test('the docs have verification snippets in four languages', () => {
  for (const { name } of languages) assert(snippet(name).length > 0)
})

const isInstalled = ({ command }: Language): boolean =>
  spawnSync(command, ['--version']).status === 0

for (const language of languages.filter(isInstalled)) {
  test(`contract 7: the ${language.name} snippet accepts and rejects as the vectors say`, async () => {
    const file = join(folder, language.file)
    await writeFile(file, language.program(snippet(language.name)))
    const output = execFileSync(language.command, [file], { input, encoding: 'utf8' })
    assert.deepEqual(
      output.trim().split('\n'),
      cases.map(([, isValid]) => String(isValid)),
    )
  })
}
