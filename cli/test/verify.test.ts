/** `docex verify`: the published verifier as a command. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { anInvoice } from '../../test/support/fixtures.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { startSandbox } from './support/sandbox.ts'

const { running, sandbox, cli, pair } = await startSandbox()

test('verify runs the published verifier: 0 for a proof with a trusted log, else 1', async () => {
  const { id } = await anInvoice(running, pair)
  const folder = temporaryFolder()
  const [bundle, trust, other] = ['bundle', 'trust', 'other'].map((one) => `${folder}/${one}.json`)
  await until('the log has the document', async () => {
    const { code, bytes } = await cli(['documents', 'export', id])
    if (code === 0) writeFileSync(bundle!, bytes)
    return code === 0
  })
  writeFileSync(trust!, (await cli(['log', 'keys', '--json'])).stdout)
  const valid = await cli(['verify', bundle!, '--trust', trust!])
  assert.equal(valid.code, 0, valid.stdout + valid.stderr)
  for (const [content, exit] of [
    [readFileSync(bundle!, 'utf8'), 0],
    ['', 1],
  ] as const) {
    const piped = await cli(['verify', '-', '--trust', trust!], { stdin: content })
    assert.equal(piped.code, exit, piped.stdout + piped.stderr)
  }
  const untrusted = await cli(['verify', bundle!])
  assert.equal(untrusted.code, 1)
  assert.match(untrusted.stdout + untrusted.stderr, /trust/)
  writeFileSync(other!, readFileSync(bundle!, 'utf8').replace('Consulting', 'Consulted!'))
  assert.equal((await cli(['verify', other!, '--trust', trust!])).code, 1)
  const pdf = `${folder}/proof.pdf`
  writeFileSync(
    pdf,
    (await cli(['documents', 'render', id, '--format', 'pdf', '--proof', '1'])).bytes,
  )
  const carried = await cli(['verify', pdf, '--trust', trust!])
  assert.equal(carried.code, 0, carried.stdout + carried.stderr)
  assert.match(carried.stdout, /The PDF carries this proof of the record/)
  writeFileSync(other!, readFileSync(bundle!, 'utf8').slice(0, -100))
  const short = await cli(['verify', other!, '--trust', trust!])
  assert.deepEqual([short.code, short.stdout.split(':')[0]], [1, 'INVALID JSON'])
  const wrongDigest = ['verify', bundle!, '--digest', '0'.repeat(64), '--json']
  const differing = await cli(wrongDigest)
  assert.deepEqual([differing.code, JSON.parse(differing.stdout).check], [1, 'DIGEST'])
})

test('verify compares a proof with others, and takes receipts and proofs of consistency', async () => {
  const { id } = await anInvoice(running, pair)
  const folder = temporaryFolder()
  const saved = async (name: string, argv: string[], key?: string): Promise<string> => {
    const file = `${folder}/${name}.json`
    await until(`there is ${name}`, async () => {
      const { code, bytes } = await cli(
        argv,
        key === undefined ? {} : { env: { DOCEX_API_KEY: key } },
      )
      if (code === 0) writeFileSync(file, bytes)
      return code === 0
    })
    return file
  }
  const trust = ['--trust', await saved('trust', ['log', 'keys', '--json'])]
  const old = await saved('old', ['documents', 'export', id])
  const receipt = await saved('receipt', ['documents', 'receipt', id, '1'])
  await anInvoice(running, pair)
  await cli(['documents', 'transition', id, '--to', 'acknowledged'], {
    env: { DOCEX_API_KEY: sandbox.demo },
  })
  const bundle = await saved('bundle', ['documents', 'export', id])
  const peer = await saved('peer', ['documents', 'export', id], sandbox.demo)
  const [from, to] = [old, bundle].map(
    (one) => /\/test\/1\\n(\d+)\\n/.exec(readFileSync(one, 'utf8'))![1]!,
  )
  const grown = ['log', 'consistency', '--from', from!, '--to', to!, '--json']
  const proof = await saved('consistency', grown)
  writeFileSync(`${folder}/receipts.txt`, `${'3f'.repeat(32)} 1 ${'5d'.repeat(32)}\n`)
  const verdicts: [argv: string[], code: number, said: RegExp][] = [
    [[bundle, '--peer', peer, '--since', old], 0, /^VALID/],
    [[old, '--since', bundle], 1, /ROLLBACK/],
    [[bundle, '--receipts', `${folder}/receipts.txt`], 1, /RECEIPT/],
    [[receipt, '--receipt'], 0, /^VALID/],
    [[proof, '--consistency', old, bundle], 0, /^VALID/],
    [[bundle, '--receipt'], 1, /^INVALID/],
  ]
  for (const [argv, code, said] of verdicts) {
    const verdict = await cli(['verify', ...argv, ...trust])
    assert.equal(verdict.code, code, argv.join(' ') + verdict.stdout + verdict.stderr)
    assert.match(verdict.stdout, said, argv.join(' '))
  }
  const mixed = await cli(['verify', bundle, ...trust, '--epochs', old])
  assert.match(mixed.stderr, /--epochs goes with --since/)
})

test('clients.md 3: verify ends with 1, and says why, for what the verifier cannot read', async () => {
  const folder = temporaryFolder()
  const [invoice, text, unfinished] = ['invoice', 'text', 'unfinished'].map(
    (one) => `${folder}/${one}`,
  )
  writeFileSync(invoice!, '{ "document_type": "invoice" }')
  writeFileSync(text!, 'Hello.')
  writeFileSync(unfinished!, '{"origin":"log.example"}')
  const wrong: [argv: string[], message: RegExp][] = [
    [['/nowhere.json'], /^cannot read \/nowhere\.json$/],
    [[folder], /^cannot read /],
    [[invoice!], /: this is not a proof bundle\. documents export prints one\.$/],
    [[text!], /: this is not a proof bundle\./],
    [[invoice!, '--trust', '/nowhere.json'], /^cannot read \/nowhere\.json$/],
    [
      [invoice!, '--trust', text!],
      /^--trust: .*\/text is not JSON; docex log keys --json prints a trust file\.$/,
    ],
    [[invoice!, '--trust', unfinished!], /^--trust: origin and keys are missing; docex log keys /],
    [[invoice!, '--digest', 'abc'], /^send one proof\. --digest has 64 hexadecimal digits, /],
  ]
  for (const [argv, message] of wrong) {
    const name = argv.join(' ')
    const { code, stdout, stderr } = await cli(['verify', ...argv, '--json'])
    assert.deepEqual([code, stdout], [1, ''], name)
    const { error } = JSON.parse(stderr)
    assert.equal(error.code, 'unverifiable', name)
    assert.match(error.message, message)
    const shown = await cli(['verify', ...argv])
    assert.deepEqual([shown.code, shown.stdout], [1, ''], name)
    assert.equal(shown.stderr, `error unverifiable: ${error.message}\n`)
  }
  for (const argv of [[invoice!, '--pear', text!], []]) {
    assert.equal((await cli(['verify', ...argv])).code, 2, 'a command that is not understood')
  }
})
