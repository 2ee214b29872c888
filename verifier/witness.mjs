#!/usr/bin/env node
/**
 * A witness of transparency logs (C2SP tlog-witness): it cosigns a checkpoint only if the log has
 * grown from the last one that it cosigned. Run it far from the service, with its own key. Node 18
 * or newer, no packages; verify-bundle.mjs lies beside it.
 *
 *   node witness.mjs NAME FOLDER TRUST [PORT [HOST]]
 *
 * NAME is the name of the witness, such as witness.example/w1. FOLDER holds its key, which the
 * first start creates, and the last checkpoint of each log: keep it, and run one witness on it.
 * TRUST is a verifier key or a trust file, with the keys of the logs (FORMAT.md, section 8). The
 * verifier key of the witness is printed.
 */
import * as crypto from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as verifier from './verify-bundle.mjs'

const bodyMaxBytes = 65_536
const proofMaxLines = 63
const reply = (status, text = '', type = 'text/plain') => ({ status, text, type })

/** Replaces a file as a whole, on the disk before it returns. */
const write = (file, text) => {
  const descriptor = fs.openSync(`${file}.new`, 'w', 0o600)
  fs.writeSync(descriptor, text)
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
  fs.renameSync(`${file}.new`, file)
  const folder = fs.openSync(join(file, '..'), 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}

/** The witness as a function from the body of add-checkpoint to a response. It never waits. */
export const openWitness = (name, folder, trust, now = Date.now) => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keyFile = join(folder, 'key.pem')
  if (!fs.existsSync(keyFile)) {
    const { privateKey } = crypto.generateKeyPairSync('ed25519')
    write(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const privateKey = crypto.createPrivateKey(fs.readFileSync(keyFile))
  const { x } = crypto.createPublicKey(privateKey).export({ format: 'jwk' })
  const typed = Buffer.concat([Buffer.of(verifier.cosignatureType), Buffer.from(x, 'base64url')])
  const named = Buffer.concat([Buffer.from(`${name}\n`), typed])
  const id = crypto.createHash('sha256').update(named).digest().subarray(0, 4)
  const vkey = `${name}+${id.toString('hex')}+${typed.toString('base64')}`
  // Verifiers refuse every checkpoint with a line of a name that they do not take.
  verifier.parseVkey(vkey, verifier.cosignatureType)

  const addCheckpoint = (text) => {
    const [, old, lines, note] =
      /^old (0|[1-9][0-9]{0,15})\n((?:[A-Za-z0-9+/]{43}=\n)*)\n(.*)$/s.exec(text) ?? []
    const hashes = (lines ?? '').split('\n').slice(0, -1)
    if (old === undefined || hashes.length > proofMaxLines) return reply(400)
    let checkpoint
    try {
      checkpoint = verifier.parseCheckpoint(note)
    } catch {
      return reply(400)
    }
    const { origin, size, root, body, signatures } = checkpoint
    const log = trust.find((one) => one.origin === origin)
    if (log === undefined) return reply(404)
    const isSigned = signatures.some(({ id: keyId, signature }) => {
      const key = log.keys.find((one) => one.id === keyId && verifier.isInForce(one, size))
      return key !== undefined && crypto.verify(null, Buffer.from(body), key.key, signature)
    })
    if (!isSigned) return reply(403)
    if (Number(old) > size) return reply(400)
    const file = join(folder, crypto.createHash('sha256').update(origin).digest('hex'))
    const last = fs.existsSync(file)
      ? verifier.parseCheckpoint(fs.readFileSync(file, 'utf8'))
      : { size: 0, root: verifier.emptyRoot }
    const conflict = reply(409, `${last.size}\n`, 'text/x.tlog.size')
    if (Number(old) !== last.size || (size === last.size && !root.equals(last.root)))
      return conflict
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'))
    if (!verifier.isConsistent(last.size, size, last.root, root, proof)) return reply(422)
    if (size > last.size || !fs.existsSync(file)) write(file, note)
    const seconds = BigInt(Math.floor(now() / 1000))
    const message = verifier.cosignedMessage(body, seconds)
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(seconds)
    const signature = crypto.sign(null, Buffer.from(message), privateKey)
    const blob = Buffer.concat([id, time, signature]).toString('base64')
    return reply(200, `— ${name} ${blob}\n`)
  }
  return { vkey, addCheckpoint }
}

/** `<prefix>/add-checkpoint`, whatever the prefix. */
export const serveWitness = ({ addCheckpoint }) =>
  createServer(async (request, response) => {
    try {
      const chunks = []
      let length = 0
      for await (const chunk of request) {
        length += chunk.length
        if (length > bodyMaxBytes) return response.writeHead(413, { connection: 'close' }).end()
        chunks.push(chunk)
      }
      const isCall = request.method === 'POST' && request.url.endsWith('/add-checkpoint')
      const body = Buffer.concat(chunks).toString()
      const { status, text, type } = isCall ? addCheckpoint(body) : reply(404)
      return response.writeHead(status, { 'content-type': type }).end(text)
    } catch (error) {
      console.error(error)
      return response.destroy()
    }
  })

const usage = 'witness NAME FOLDER VKEY|trust.json [PORT [HOST]]'

const start = ([name, folder, trusted, port = '8095', host = '127.0.0.1']) => {
  if (trusted === undefined) throw new verifier.Failure('USAGE', usage)
  const witness = openWitness(name, folder, verifier.trustOf(trusted).trust)
  serveWitness(witness).listen(Number(port), host, () => console.log(witness.vkey))
}

if (verifier.isProgram(import.meta.url)) {
  try {
    start(process.argv.slice(2))
  } catch (error) {
    console.error(`${error.check ?? 'INTERNAL'}: ${error.message}`)
    process.exitCode = 1
  }
}
