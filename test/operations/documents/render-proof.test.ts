/** A PDF that carries its proof: render with proof=1, and verifier/FORMAT.md 18. Needs python3. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { callApi } from '../../support/api-client.ts'
import { readPdf } from '../../support/documents/pdf-reader.ts'
import { aKey, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  fetchTrustFile,
  temporaryFile,
  verifyWithBoth,
} from '../../support/provenance/verifiers.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair
const { id } = await anInvoice(running, pair)
await move(running, counterparty.key, id, 'approved')
const renderPath = `/v1/documents/${id}/render`
const trust = await fetchTrustFile(running, issuer.key)

const pdfFor = async (key: string, query = 'format=pdf&proof=1'): Promise<Buffer> => {
  const url = `${running.baseUrl}${renderPath}?${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return bytes
}

const exportFor = (key: string) => callApi(running, 'GET', `/v1/documents/${id}/export`, { key })

const lineFor = (bytes: Buffer, ...options: string[]): string[] => [
  temporaryFile(bytes),
  '--trust',
  trust,
  ...options,
]

const pdf = await pdfFor(issuer.key)

describe('domain 7: a PDF carries its proof', () => {
  test('the bundle of the export, byte for byte, whose digest is on the page', async () => {
    const { text, headers } = await exportFor(issuer.key)
    const { pages, streams, structure } = readPdf(pdf)
    assert([...streams.values()].some((data) => data.toString() === text))
    assert(structure.includes(`(${id}.3.svc-proof.json)`), structure)
    assert(structure.includes('/AFRelationship /Supplement'))
    const digest = headers.get('svc-bundle-digest')!
    assert.equal(digest, hash('sha256', text))
    assert(pages.join('\n').includes(digest), pages.join('\n'))
    assert((await pdfFor(issuer.key)).equals(pdf))
    const digests = [digest, '0'.repeat(64)]
    const [right, wrong] = verifyWithBoth(digests.map((one) => lineFor(pdf, '--digest', one)))
    assert.deepEqual([right!.exitCode, wrong!.check], [0, 'DIGEST'])
  })

  test('both verifiers take the PDF of either side, alone and as its peer', async () => {
    const other = await pdfFor(counterparty.key)
    assert(!other.equals(pdf))
    const lines = [lineFor(pdf), lineFor(other), lineFor(pdf, '--peer', temporaryFile(other))]
    for (const { exitCode, output } of verifyWithBoth(lines)) {
      const claim = JSON.parse(output)
      assert.deepEqual([exitCode, claim.document_id, claim.pdf, claim.events], [0, id, true, 3])
    }
    const [said] = verifyWithBoth([lineFor(pdf)], [])
    assert.match(said!.output, /^VALID doc_.*\n.*\nThe PDF carries this proof of the record\./)
  })

  test('facturx and Accept carry it as well, and what is asked without it does not', async () => {
    const plain = await pdfFor(issuer.key, 'format=pdf')
    assert.equal(verifyWithBoth([lineFor(plain)])[0]!.check, 'PDF')
    const accepted = await fetch(`${running.baseUrl}${renderPath}?proof=1`, {
      headers: { authorization: `Bearer ${issuer.key}`, accept: 'application/pdf' },
    })
    assert(Buffer.from(await accepted.arrayBuffer()).equals(pdf))
  })

  test('proof=1 needs provenance:read, and a format that can carry it', async () => {
    const { secret: key } = await aKey(running, issuer, ['documents:read'])
    const ask = (query: string, by: string) =>
      callApi(running, 'GET', `${renderPath}?${query}`, { key: by })
    assert.equal((await ask('format=pdf', key)).status, 200)
    const refused = assertRefused(await ask('format=pdf&proof=1', key), 'insufficient_scope')
    assert.deepEqual(refused['required_scopes'], ['documents:read', 'provenance:read'])
    for (const format of ['csv', 'invoice_response'])
      assertProblems(await ask(`format=${format}&proof=1`, issuer.key), 'proof invalid_value')
    // No scope makes another value right.
    for (const by of [issuer.key, key])
      assertProblems(await ask('format=pdf&proof=0', by), 'proof invalid_value')
  })

  test('without provenance, proof=1 is not enabled', async () => {
    const families = 'documents,payments,webhooks,finance'
    const without = await running.startAnother({ FAMILIES: families })
    const path = `${renderPath}?format=pdf&proof=1`
    assertRefused(await callApi(without, 'GET', path, { key: issuer.key }), 'not_enabled')
  })
})

/** The place of the embedded proof in the PDF: its head, and its data. */
const proofIn = (bytes: Buffer) => {
  const source = bytes.toString('latin1')
  const head = source.indexOf('/Type /EmbeddedFile\n')
  const start = source.indexOf('stream\n', head) + 'stream\n'.length
  return { head, start, end: source.indexOf('\nendstream', start) }
}

/** An embedded file as the service writes it. */
const embedded = (data: Buffer, length = data.length): Buffer =>
  Buffer.concat([
    Buffer.from('\n99 0 obj\n<<\n/Type /EmbeddedFile\n/Subtype /application#2Fjson\n'),
    Buffer.from(`/Length ${length}\n/Filter /FlateDecode\n>>\nstream\n`),
    data,
    Buffer.from('\nendstream\nendobj\n'),
  ])

const alone = (data: Buffer, length?: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), embedded(data, length)])

describe('FORMAT.md 18: a PDF is refused', () => {
  const { head, start, end } = proofIn(pdf)
  const bundle = pdf.subarray(start, end)

  test('whose file is not in whole lines, or has two lengths', () => {
    const plain = alone(bundle).toString('latin1')
    const spelled = [
      ['\n/Type /EmbeddedFile\n', '\n<< /Type /EmbeddedFile\n'],
      ['\n/Filter /FlateDecode\n', '\n/Filter /ASCIIHexDecode /FlateDecode\n'],
      ['\n/Subtype /application#2Fjson\n', '\n% /Subtype /application#2Fjson\n'],
      ['\n>>\nstream\n', '\n/Params <<>> >>\nstream\n'],
      ['\n/Length ', '\n/Length 5\n/Length '],
      ['\n/Subtype ', '\n>>\nstream\n/Subtype '],
      ['\n/Subtype ', `\n${'x'.repeat(500)}\n/Subtype `],
    ].map(([line, other]) => Buffer.from(plain.replace(line!, other!), 'latin1'))
    const verdicts = verifyWithBoth(spelled.map((bytes) => lineFor(bytes)))
    for (const { check } of verdicts) assert.equal(check, 'PDF')
  })

  test('whose proof is missing, not alone, cut, longer than it says, or too large', () => {
    const bomb = deflateSync(Buffer.alloc(2 ** 26 + 1, ' '))
    const refused = [
      Buffer.from('%PDF-1.7\n'),
      Buffer.concat([pdf, embedded(bundle)]),
      pdf.subarray(0, start + 10),
      pdf.subarray(0, head + 25),
      alone(bundle.subarray(0, -1)),
      alone(Buffer.concat([bundle, Buffer.from('x')])),
      alone(bundle, bundle.length - 1),
      alone(Buffer.from('not compressed')),
      alone(bomb),
    ]
    const verdicts = verifyWithBoth([alone(bundle), ...refused].map((bytes) => lineFor(bytes)))
    const checks = verdicts.map(({ check }) => check)
    assert.deepEqual(checks, [undefined, ...refused.map(() => 'PDF')])
  })

  test('whose proof was changed in any byte', () => {
    const step = Math.ceil(bundle.length / 40)
    const lines = Array.from({ length: Math.floor(bundle.length / step) }, (_, i) => {
      const changed = Buffer.from(pdf)
      changed[start + i * step]! ^= 1
      return lineFor(changed)
    })
    for (const { exitCode } of verifyWithBoth(lines)) assert.equal(exitCode, 1)
  })

  test('whose proof is of another document, as that document', async () => {
    const other = await anInvoice(running, pair)
    const { text } = await callApi(running, 'GET', `/v1/documents/${other.id}/export`, issuer)
    const swapped = alone(deflateSync(Buffer.from(text)))
    const [verdict] = verifyWithBoth([lineFor(swapped)])
    const claim = JSON.parse(verdict!.output)
    assert.deepEqual([claim.document_id, claim.pdf], [other.id, true])
  })
})
