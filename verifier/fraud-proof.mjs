#!/usr/bin/env node
/**
 * Proves that a log has contradicted itself: two statements that its keys have signed, and that
 * cannot both be true. Node 18 or newer, no packages, no network; verify-bundle.mjs lies beside it.
 *
 *   node fraud-proof.mjs ONE OTHER --trust VKEY|trust.json --out PROOF
 *   node fraud-proof.mjs PROOF --trust VKEY|trust.json
 *
 * The first form looks for a contradiction between two files, each a bundle, a checkpoint, a head
 * note or a receipt, and writes a proof of it that needs neither; the second verifies a proof.
 * FORMAT.md, section 14, describes it.
 *
 * Exit codes: 0 the log has contradicted itself; 1 it has not, or a file is unreadable; 2 the
 * statements contradict each other, but without --trust nobody says whose they are.
 */
import { writeFileSync } from 'node:fs'
import * as verifier from './verify-bundle.mjs'

const format = 'svc-fraud-proof/1'

const fail = (check, message) => {
  throw new verifier.Failure(check, message)
}

// ── Statements ──────────────────────────────────────────────────────────────────────────────────

const { isText } = verifier
const isCheckpoint = verifier.isRecord({ checkpoint: isText })
const isHead = verifier.isRecord({ head: isText })
const isReceipt = verifier.isRecord({
  checkpoint: isText,
  header: verifier.isHeader,
  log: verifier.isLog,
})
const isStatement = (value) => isCheckpoint(value) || isHead(value) || isReceipt(value)

/** What a statement says, once its signatures and its place in the tree are verified. */
const read = (statement, trust) => {
  if ('head' in statement) {
    const head = verifier.parseHead(statement.head)
    checkSigned(head, head.keySize, trust)
    return { statement, origin: head.origin, head, facts: headFacts(head) }
  }
  const checkpoint = verifier.parseCheckpoint(statement.checkpoint)
  checkSigned(checkpoint, checkpoint.size, trust)
  const facts = checkpointFacts(checkpoint)
  const { origin } = checkpoint
  if (!('header' in statement)) return { statement, origin, facts }
  const { header, log } = statement
  const hash = verifier.leafHash(verifier.canonical(header))
  const nodes = treeFacts(hash, log, checkpoint)
  const { stream, seq, prev } = header
  const { index } = log
  const name = `${stream} ${seq}`
  const own = [
    [`the place of the event ${name}`, String(index)],
    [`the event ${name}`, hash.toString('hex')],
    ...(prev === null ? [] : [[`the event ${stream} ${seq - 1}`, prev]]),
  ]
  return { statement, origin, event: { stream, seq, index }, facts: [...own, ...facts, ...nodes] }
}

const checkSigned = (note, size, trust) => {
  if (trust === undefined) return
  const log = trust.find(({ origin }) => origin === note.origin)
  if (log === undefined) fail('ORIGIN', `no key of ${note.origin} is trusted`)
  verifier.checkSignatures(note, size, log)
}

const headFacts = ({ stream, seq, hash }) => [[`the event ${stream} ${seq}`, hash]]

const checkpointFacts = ({ size, root }) => [
  [`the root of ${size} leaves`, root.toString('hex')],
  ...subtree(0, size, root),
]

/** A complete subtree is the same in every tree that contains it. */
const subtree = (start, end, hash) => {
  const size = end - start
  const isComplete = Number.isInteger(Math.log2(size)) && 2 ** Math.log2(size) === size
  return isComplete ? [[`the leaves from ${start} to ${end - 1}`, hash.toString('hex')]] : []
}

/** INCLUSION, by the recursive definition of RFC 6962: all subtrees that a path tells of. */
const treeFacts = (leaf, { index, path }, { size, root }) => {
  const facts = []
  const hashOf = (start, end, siblings) => {
    let hash = leaf
    if (end - start > 1) {
      let half = 1
      while (half * 2 < end - start) half *= 2
      const middle = start + half
      const [sibling, rest] = [siblings.at(-1), siblings.slice(0, -1)]
      if (sibling === undefined) return fail('INCLUSION', 'the path is too short')
      const isLeft = index < middle
      const own = isLeft ? hashOf(start, middle, rest) : hashOf(middle, end, rest)
      facts.push(...(isLeft ? subtree(middle, end, sibling) : subtree(start, middle, sibling)))
      hash = isLeft ? verifier.nodeHash(own, sibling) : verifier.nodeHash(sibling, own)
    } else if (siblings.length > 0) fail('INCLUSION', 'the path is too long')
    facts.push(...subtree(start, end, hash))
    return hash
  }
  const siblings = path.map((node) => Buffer.from(node, 'hex'))
  const isRight = index < size && hashOf(0, size, siblings).equals(root)
  if (!isRight) fail('INCLUSION', 'the event is not in the log at that place')
  return facts
}

// ── Contradictions ──────────────────────────────────────────────────────────────────────────────

/** Why both cannot be true, in words; undefined if they can. */
const contradiction = (one, other) =>
  one.origin === other.origin
    ? (twoValues(one, other) ??
      falseHead(one, other) ??
      falseHead(other, one) ??
      wrongOrder(one, other))
    : undefined

const twoValues = (one, other) => {
  const known = new Map(one.facts)
  const [name] =
    other.facts.find(([key, value]) => known.has(key) && known.get(key) !== value) ?? []
  return name === undefined ? undefined : `two answers to what is ${name}`
}

/** A head says that its stream ended there, at that size of the log. */
const falseHead = ({ head }, { head: later, event }) => {
  if (head === undefined) return undefined
  const omitted = `the head of ${head.size} leaves ends at event ${head.seq} and omits event`
  const isMore = event?.stream === head.stream && event.seq > head.seq && event.index < head.size
  if (isMore) return `${omitted} ${event.seq}, which is leaf ${event.index}`
  const isLate = event?.stream === head.stream && event.seq <= head.seq && event.index >= head.size
  if (isLate) return `the head of ${head.size} leaves has event ${event.seq}, leaf ${event.index}`
  const isShorter = later?.stream === head.stream && later.seq > head.seq && later.size <= head.size
  return isShorter ? `${omitted} ${later.seq}, which another head has` : undefined
}

/** The events of a stream are in the log in their order. */
const wrongOrder = ({ event: one }, { event: other }) => {
  if (one === undefined || one.stream !== other?.stream) return undefined
  const [before, after] = one.seq < other.seq ? [one, other] : [other, one]
  if (before.seq === after.seq || before.index < after.index) return undefined
  const leaves = `leaf ${before.index} and event ${after.seq} as leaf ${after.index}`
  return `event ${before.seq} of ${one.stream} as ${leaves}`
}

/** Verifies a proof and says what contradicts what. */
export const verifyFraudProof = (bytes, trust) => {
  const proof = verifier.parseCanonical(bytes)
  if (isText(proof?.format) && proof.format !== format) fail('FORMAT', 'an unknown format')
  const isProof = verifier.isRecord({
    format: isText,
    statements: (list) => Array.isArray(list) && list.length === 2 && list.every(isStatement),
  })
  if (!isProof(proof)) fail('SHAPE', 'not a fraud proof')
  const [one, other] = proof.statements.map((statement) => read(statement, trust))
  const reason = contradiction(one, other)
  if (reason === undefined) fail('CONTRADICTION', 'both statements can be true')
  return { origin: one.origin, reason }
}

/** All statements of a bundle, a checkpoint, a head note or a receipt. */
const statementsIn = (bytes, trust) => {
  if (bytes[0] !== 0x7b) {
    const note = bytes.toString()
    return [note.startsWith('svc-head/') ? { head: note } : { checkpoint: note }]
  }
  const value = verifier.parseLoose(bytes, 'JSON', 'not JSON')
  if (isReceipt(value)) return [value]
  if (value.format === 'svc-receipt/1') {
    const { checkpoint, header, log } = verifier.verifyReceipt(bytes, { trust }).receipt
    return [{ checkpoint, header, log }]
  }
  if (!Object.hasOwn(value, 'format')) {
    const { checkpoint } = value
    return isText(checkpoint) ? [{ checkpoint }] : fail('SHAPE', 'no statement of a log')
  }
  const { bundle } = verifier.verifyBundle(bytes, { trust })
  const { checkpoint, head, events } = bundle
  const receipts = events.map(({ header, log }) => ({ checkpoint, header, log }))
  return [{ checkpoint }, { head }, ...receipts]
}

/** Whoever signs two histories shows one of them to no witness. */
const withoutWitnesses = (trust) => trust?.map((log) => ({ ...log, witnesses: [], quorum: 0 }))

/** The first contradiction between two files, as the text of a proof; undefined without one. */
export const findFraud = (one, other, trust) => {
  const known = withoutWitnesses(trust)
  const [ours, theirs] = [one, other].map((bytes) =>
    statementsIn(bytes, known).map((statement) => read(statement, known)),
  )
  const byFact = new Map(ours.flatMap((said) => said.facts.map(([key]) => [key, said])))
  for (const said of theirs) {
    const related = new Set(said.facts.map(([key]) => byFact.get(key)))
    // A head, and an event that comes too early, contradict events with which they share no fact.
    for (const before of ours) {
      if (before.head || said.head || wrongOrder(before, said)) related.add(before)
    }
    const match = [...related].find((before) => before && contradiction(before, said))
    if (match === undefined) continue
    const statements = [match.statement, said.statement]
    return verifier.canonical({ format, statements })
  }
  return undefined
}

// ── Command line ────────────────────────────────────────────────────────────────────────────────

const usage =
  'fraud-proof ONE OTHER --trust VKEY|trust.json --out PROOF, or fraud-proof PROOF --trust …'

const argumentsOf = (argv) => {
  const given = { files: [] }
  const rest = [...argv]
  while (rest.length > 0) {
    const word = rest.shift()
    if (!word.startsWith('--')) given.files.push(word)
    else if (['--trust', '--out'].includes(word) && rest.length > 0)
      given[word.slice(2)] = rest.shift()
    else fail('USAGE', usage)
  }
  const isRight = given.files.length === (given.out === undefined ? 1 : 2)
  return isRight ? given : fail('USAGE', usage)
}

const write = (out, proof, fraud) => {
  try {
    writeFileSync(out, proof)
  } catch {
    fail('FILE', `cannot write ${out}, which would prove that ${fraud}`)
  }
}

/** Runs one command line and returns its exit code and output. */
export const fraudOutcomeOf = (argv) => {
  try {
    const { files, out, trust: given } = argumentsOf(argv)
    const { trust } = verifier.trustOf(given)
    const contents = files.map(verifier.bytesOf)
    const proof = out === undefined ? contents[0] : findFraud(...contents, trust)
    if (proof === undefined) fail('CONTRADICTION', 'both files can be true')
    const { origin, reason } = verifyFraudProof(Buffer.from(proof), trust)
    const fraud = `${origin} has signed ${reason}`
    if (out !== undefined) write(out, proof, fraud)
    const word = trust === undefined ? 'UNPINNED' : 'FRAUD'
    return { exit: trust === undefined ? 2 : 0, text: `${word} ${fraud}` }
  } catch (error) {
    return { exit: 1, text: `NOT PROVEN ${error.check ?? 'INTERNAL'}: ${error.message}` }
  }
}

if (verifier.isProgram(import.meta.url)) {
  const { exit, text } = fraudOutcomeOf(process.argv.slice(2))
  console.log(text)
  process.exitCode = exit
}
