/**
 * Witnesses cosign checkpoints (C2SP tlog-witness, tlog-cosignature): the published witness, the
 * quorum that both verifiers ask for, and the service, which publishes nothing below its quorum and
 * whose writes wait for nobody. Needs python3.
 */
import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { type Trust, readTrust } from '../../verifier/verify-bundle.mjs'
import { type WitnessProgram, openWitness, serveWitness } from '../../verifier/witness.mjs'
import { readConfig } from '../../src/config.ts'
import { callApi } from '../support/api-client.ts'
import { aPair, anInvoice, move } from '../support/fixtures.ts'
import {
  attackedDocument,
  attackedLog,
  genuineBundle,
  logKey,
  mutated,
} from '../support/provenance/mutated-bundles.ts'
import { naiveConsistency } from '../support/provenance/naive-tree.ts'
import {
  SyntheticLog,
  origin,
  signingKeyOf,
  syntheticBundle,
} from '../support/provenance/synthetic-log.ts'
import { fetchTrustFile, temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'
import { startTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const log = { origin, keys: [logKey.vkey] }
const aWitness = (name: string, folder = temporaryFolder()): WitnessProgram =>
  openWitness(name, folder, [readTrust(log)])

/** The body of add-checkpoint. */
const asked = (old: number, proof: readonly Buffer[], note: string): string =>
  `old ${old}\n${proof.map((node) => `${node.toString('base64')}\n`).join('')}\n${note}`

const leaves = attackedLog.leaves
const sizes = [3, 4, 7, leaves.length]
const proofBetween = (from: number, size: number) => naiveConsistency(from, leaves.slice(0, size))

test('C2SP tlog-witness: a log that has only grown is cosigned, and every other is not', () => {
  const folder = temporaryFolder()
  const witness = aWitness('w.example/1', folder)
  const add = (old: number, size: number, proof = proofBetween(old, size)) =>
    witness.addCheckpoint(asked(old, proof, attackedLog.checkpoint(size)))
  let before = 0
  for (const size of sizes) {
    const { status, text } = add(before, size)
    assert.equal(status, 200)
    assert.match(text, /^— w\.example\/1 [A-Za-z0-9+/]+=*\n$/)
    before = size
  }
  assert.equal(add(before, before).status, 200, 'the same checkpoint again')
  const conflict = add(3, before)
  assert.deepEqual([conflict.status, conflict.text], [409, `${before}\n`])
  assert.equal(conflict.type, 'text/x.tlog.size')
  assert.equal(add(0, 3).status, 409, 'an older checkpoint')

  const fork = new SyntheticLog()
  fork.leaves.push(...leaves.slice(0, -1), Buffer.alloc(32, 7), Buffer.alloc(32, 8))
  const forked = (size: number, proof: Buffer[]) =>
    witness.addCheckpoint(asked(before, proof, fork.checkpoint(size)))
  assert.equal(forked(before, []).status, 409, 'another root of the same size')
  assert.equal(forked(before + 1, naiveConsistency(before, fork.leaves)).status, 422)

  const stranger = [signingKeyOf('stranger', origin)]
  const other = [signingKeyOf('key', 'other.example/log/live/1')]
  for (const [status, body] of [
    [403, asked(before, [], attackedLog.checkpoint(before, stranger))],
    [404, asked(0, [], attackedLog.checkpoint(3, other, 'other.example/log/live/1'))],
    [400, asked(before + 1, [], attackedLog.checkpoint(before))],
    [400, asked(before, [], 'no note')],
    [400, asked(before, [], attackedLog.checkpoint(before)).replace('old ', 'old 0')],
    [400, asked(before, Array(64).fill(leaves[0]!), attackedLog.checkpoint(before))],
    [422, asked(before, [leaves[0]!], attackedLog.checkpoint(before))],
    [400, ''],
  ] as const) {
    assert.equal(witness.addCheckpoint(body).status, status, body.slice(0, 40))
  }

  const restarted = aWitness('w.example/1', folder)
  assert.equal(restarted.vkey, witness.vkey)
  assert.equal(restarted.addCheckpoint(asked(0, [], attackedLog.checkpoint(3))).status, 409)
})

const two = [aWitness('b.example'), aWitness('a.example')]
const genuine: string = JSON.parse(genuineBundle).checkpoint
const size = Number(genuine.split('\n')[1])
const lineOf = (witness: WitnessProgram): string => {
  const { status, text } = witness.addCheckpoint(asked(0, [], genuine))
  assert.equal(status, 200)
  return text
}
const [second, first] = two.map(lineOf) as [string, string]

const withLines = (...lines: string[]): string =>
  mutated((b) => (b.checkpoint = genuine + lines.join('')))
const trustWith = (more: object): string => temporaryFile(JSON.stringify({ ...log, ...more }))
const quorumOf = (quorum: number, more: object = {}) =>
  trustWith({ witnesses: two.map(({ vkey }) => vkey), quorum, ...more })
const checkOf = (bundle: string, trust: string) =>
  verifyWithBoth([[temporaryFile(bundle), '--trust', trust]])[0]!.check

/** The line with other bytes: key id, time and signature. */
const withBytes = (line: string, change: (bytes: Buffer) => Buffer): string => {
  const [dash, name, blob = ''] = line.trimEnd().split(' ')
  return `${dash} ${name} ${change(Buffer.from(blob, 'base64')).toString('base64')}\n`
}
const flipped = (at: number) => (bytes: Buffer) => {
  bytes[at]! ^= 1
  return bytes
}

test('provenance 8: a checkpoint below the quorum of the trust file is refused', () => {
  for (const [lines, quorum, check] of [
    [[first, second], 2, undefined],
    [[first], 1, undefined],
    [[second], 1, undefined],
    [[first], 2, 'WITNESS'],
    [[], 1, 'WITNESS'],
    [[], 0, undefined],
    [[first.replace('a.example', 'c.example')], 0, undefined],
    [[first.replace('a.example', 'c.example')], 1, 'WITNESS'],
    [[first, second].toReversed(), 2, 'NOTE'],
    [[first, first], 1, 'NOTE'],
  ] as [string[], number, string | undefined][]) {
    assert.equal(checkOf(withLines(...lines), quorumOf(quorum)), check, `${lines.length} ${quorum}`)
  }
  const logAlone = trustWith({})
  assert.equal(checkOf(withLines(first, second), logAlone), undefined, 'nobody asks for witnesses')
  const since = (from: number) => quorumOf(2, { witnessed_from_size: from })
  assert.equal(checkOf(withLines(first), since(size + 1)), undefined, 'from before there were any')
  assert.equal(checkOf(withLines(first), since(size)), 'WITNESS')
})

test('provenance 8: a wrong line of a trusted witness is refused, even beyond the quorum', () => {
  for (const [title, change] of [
    ['its signature', flipped(70)],
    ['its time', flipped(11)],
    ['a shorter one', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['a longer one', (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)])],
  ] as const) {
    assert.equal(
      checkOf(withLines(first, withBytes(second, change)), quorumOf(1)),
      'WITNESS',
      title,
    )
  }
  const large = withBytes(second, (bytes) => {
    bytes[4] = 0x80
    return bytes
  })
  assert.equal(checkOf(withLines(first, large), quorumOf(1)), 'WITNESS')
  const other = syntheticBundle(attackedDocument, attackedLog, { treeSize: leaves.length })
  const moved = mutated((b) => (b.checkpoint += first), other)
  assert.equal(checkOf(moved, quorumOf(1)), 'WITNESS', 'the cosignature of another checkpoint')
})

test('TRUST: the rule of witnesses is well formed', () => {
  const [one] = two as [WitnessProgram]
  const asLog = aWitness(origin).vkey
  for (const more of [
    { witnesses: one.vkey, quorum: 1 },
    { witnesses: [one.vkey] },
    { witnesses: [one.vkey], quorum: 2 },
    { witnesses: [one.vkey], quorum: -1 },
    { witnesses: [one.vkey], quorum: null },
    { witnesses: [one.vkey, one.vkey], quorum: 1 },
    { witnesses: [logKey.vkey], quorum: 1 },
    { witnesses: [asLog], quorum: 1 },
    { witnesses: [one.vkey], quorum: 1, witnessed_from_size: '0' },
    { witnesses: [], quorum: 1 },
  ]) {
    assert.equal(checkOf(genuineBundle, trustWith(more)), 'TRUST', JSON.stringify(more))
  }
})

/** A witness on a port of this machine, which knows logs once they are added to `trust`. */
const serve = async (name: string, trust: Trust[]) => {
  const witness = openWitness(name, temporaryFolder(), trust)
  let server: Server | undefined
  let port = 0
  const start = async () => {
    server = serveWitness(witness)
    await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const stop = async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  }
  await start()
  return { witness, start, stop, setting: `${witness.vkey} http://127.0.0.1:${port}/w` }
}

test('provenance 8: the service publishes what its quorum has cosigned, and writes wait for nobody', async () => {
  const trusted: Trust[] = []
  const witnesses = [await serve('w.example/1', trusted), await serve('w.example/2', trusted)]
  after(() => Promise.all(witnesses.map(({ stop }) => stop())))
  const running = await startTestService({
    WITNESSES: witnesses.map(({ setting }) => setting).join(', '),
    WITNESS_QUORUM: '2',
  })
  const pair = await aPair(running)
  const { key } = pair.issuer
  const trustFile = await fetchTrustFile(running, key)
  const keys = JSON.parse(readFileSync(trustFile, 'utf8'))
  const { id } = await anInvoice(running, pair)
  const exported = () => callApi(running, 'GET', `/v1/documents/${id}/export`, { key })

  // The witnesses do not know the log yet, so that nobody has cosigned.
  const refused = await exported()
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.body.error.details.reason, 'provenance_pending')
  assert.equal((await move(running, pair.counterparty.key, id, 'approved')).status, 200)
  const history = await callApi(running, 'GET', `/v1/documents/${id}/history`, { key })
  assert.equal(history.body.verification.logged_through_seq, 0)
  const isAlarmed = () => running.logLines.some((line) => line.includes('0 witnesses of 2'))
  await until('the alarm', async () => isAlarmed())
  const advice = `w.example/1 answers 404: give it the key of ${keys.origin}, which GET /v1/log/keys`
  assert(running.logLines.some((line) => line.includes(advice)))

  trusted.push(readTrust(keys))
  await until('the export', async () => (await exported()).status === 200)
  const vkeys = witnesses.map(({ witness }) => witness.vkey)
  const asking = temporaryFile(JSON.stringify({ ...keys, witnesses: vkeys, quorum: 2 }))
  const bundle = await exported()
  const verify = (text: string, trust: string) =>
    verifyWithBoth([[temporaryFile(text), '--trust', trust]])[0]!
  assert.equal(verify(bundle.text, asking).exitCode, 0)
  assert.equal(verify(bundle.text, trustFile).exitCode, 0)

  // One is away: nothing new is published, and what was published stays.
  await witnesses[1]!.stop()
  const other = await anInvoice(running, pair)
  const pending = await callApi(running, 'GET', `/v1/documents/${other.id}/export`, { key })
  assert.equal(pending.status, 503, pending.text)
  assert.equal((await exported()).text, bundle.text)
  await witnesses[1]!.start()
  await until('the export of the other', async () => {
    const reply = await callApi(running, 'GET', `/v1/documents/${other.id}/export`, { key })
    return reply.status === 200 && verify(reply.text, asking).exitCode === 0
  })

  // Two processes ask the same witnesses at the same time, and publish each checkpoint once.
  const second = await running.startAnother()
  const invoices = await Promise.all(
    [running, second, running, second].map((at) => anInvoice(at, pair)),
  )
  for (const invoice of invoices) {
    const path = `/v1/documents/${invoice.id}/export`
    const texts: string[] = []
    for (const at of [running, second]) {
      await until('the export', async () => {
        const { status, text } = await callApi(at, 'GET', path, { key })
        if (status === 200) texts.push(text)
        return status === 200
      })
    }
    for (const text of texts) {
      assert.equal(text, texts[0])
      assert.equal(verify(text, asking).exitCode, 0)
    }
  }
})

test('settings: the quorum is more than half of the witnesses, unless it is set', () => {
  const base = { DATABASE_URL: 'postgresql://x', SERVER_KEY: 'x'.repeat(32) }
  const of = (names: string[], more = {}) =>
    readConfig({
      ...base,
      WITNESSES: names.map((name) => `${aWitness(name).vkey} https://${name}/`).join(','),
      ...more,
    }).witnessing
  assert.deepEqual(of([]), { witnesses: [], quorum: 0 })
  assert.equal(of(['a.example', 'b.example', 'c.example']).quorum, 2)
  assert.equal(of(['a.example', 'b.example'], { WITNESS_QUORUM: '0' }).quorum, 0)
  const [one] = of(['a.example']).witnesses
  assert.deepEqual([one!.name, one!.url], ['a.example', 'https://a.example'])
  for (const wrong of [
    { WITNESSES: 'a.example' },
    { WITNESSES: `${logKey.vkey} https://a.example` },
    { WITNESSES: `${one!.vkey} a.example` },
    { WITNESSES: `${one!.vkey} https://a.example,${one!.vkey} https://b.example` },
    { WITNESSES: `${one!.vkey} https://a.example`, WITNESS_QUORUM: '2' },
    { WITNESS_QUORUM: '1' },
  ]) {
    assert.throws(() => readConfig({ ...base, ...wrong }), /WITNESS/, JSON.stringify(wrong))
  }
})
