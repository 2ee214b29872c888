/**
 * The secrets of a deployment that never enter the database. Each purpose has its own key, derived
 * from each generation of the server key. The database numbers the generations and says which one
 * writes (store/server-keys.ts), so all processes move to a new one together; a process learns of
 * it while it runs (docs/decisions/0062).
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { ServerKeys } from '../core/server-keys.ts'
import { decryptSecret, encryptSecret, nonceBytes } from '../core/secret-encryption.ts'
import { HistoryKeys, type OlderHistoryKey } from '../core/provenance/history-keys.ts'
import type { LogId } from '../core/provenance/signed-notes.ts'
import type { Queryable } from '../database/sql.ts'
import { type ServerKeyRow, serverKeys } from '../store/server-keys.ts'
import { type ServerKeySettings, createServerSecret, serverSecrets } from './server-key-file.ts'

/** Purposes whose keys are used by generation. */
const purposes = {
  idempotency: 'replies',
  cursors: 'cursors',
  fileLinks: 'files',
  requestStates: 'request states',
  webhookSecrets: 'endpoints',
  secondFactors: 'second factors',
  notices: 'notices',
  seals: 'seals',
  archive: 'archive',
} as const

export interface Keyring extends Record<keyof typeof purposes, ServerKeys> {
  /** Encrypts stored responses that show secrets, and MACs Idempotency-Keys. */
  idempotency: ServerKeys
  /** Authenticates cursors. */
  cursors: ServerKeys
  /** Authenticates download links. */
  fileLinks: ServerKeys
  /** Authenticates what MCP clients send back with a call that waits. */
  requestStates: ServerKeys
  /** Encrypts the signing secrets of webhook endpoints. */
  webhookSecrets: ServerKeys
  /** Encrypts the secrets of second factors. */
  secondFactors: ServerKeys
  /** Encrypts the tokens of invitations until they are sent by e-mail. */
  notices: ServerKeys
  /** Seals rows (database/row-seals.ts). */
  seals: ServerKeys
  /** Encrypts the history keys of finished generations. */
  archive: ServerKeys
  /** MACs history rows as written by the service. Null only in the benchmark without history. */
  history: HistoryKeys | null
  /** The history keys of the generations in use. */
  historyKeys: ReadonlyMap<number, Buffer>
  /** The secrets that the database has given no number yet, oldest first. */
  unregistered: readonly string[]
  /** The secrets of finished generations, which nothing needs any more. */
  finished: readonly string[]
  /** The generations in use, or announced, whose secrets this process does not have. */
  lacking: readonly ServerKeyRow[]
  /**
   * Compares the keys with the generations that the database knows; returns whether something has
   * changed since the call. A generation that writes and is not known here makes every use of the
   * keys throw MissingServerKey, until the process has it.
   */
  renew(db: Queryable): Promise<boolean>
  /** Reads secrets that were added to the file. */
  reload(db: Queryable): Promise<void>
  /** The secrets of the generations in use, and those without a number. */
  inUse(): Promise<string[]>
}

/** Creates the server key on the first start. */
export const openKeyring = async (config: ServerKeySettings): Promise<Keyring> =>
  keyringOf(config, (await serverSecrets(config)) ?? (await createServerSecret(config)))

/** Undefined if there is no server key yet. */
export const openExistingKeyring = async (
  config: ServerKeySettings,
): Promise<Keyring | undefined> => {
  const secrets = await serverSecrets(config)
  return secrets === undefined ? undefined : keyringOf(config, secrets)
}

const derivedKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'docex', purpose, 32))

/** What the database keeps to recognise a server key by; it decrypts nothing. */
export const serverKeyMac = (secret: string, generation: number, salt: Buffer): Buffer =>
  createHmac('sha256', derivedKey(secret, 'mark'))
    .update(salt)
    .update(Buffer.of(generation))
    .digest()

const isKeyOf = (secret: string, { generation, salt, mac }: ServerKeyRow): boolean =>
  timingSafeEqual(serverKeyMac(secret, generation, salt), mac)

/** Until the database has been asked, the only or last secret is generation 1. */
const keyringOf = (config: ServerKeySettings, secrets: readonly string[]): Keyring => {
  const last = secrets.at(-1)!
  const keysOf = (purpose: string) => ServerKeys.only(derivedKey(last, purpose))
  let known: { rows: string; generations: string } | undefined
  const keyring: Keyring = {
    idempotency: keysOf(purposes.idempotency),
    cursors: keysOf(purposes.cursors),
    fileLinks: keysOf(purposes.fileLinks),
    requestStates: keysOf(purposes.requestStates),
    webhookSecrets: keysOf(purposes.webhookSecrets),
    secondFactors: keysOf(purposes.secondFactors),
    notices: keysOf(purposes.notices),
    seals: keysOf(purposes.seals),
    archive: keysOf(purposes.archive),
    history: new HistoryKeys(derivedKey(last, 'history')),
    historyKeys: new Map(),
    unregistered: secrets,
    finished: [],
    lacking: [],
    renew: async (db) => {
      const knownBefore = known
      for (;;) {
        const knownWhenAsked = known
        const rows = await serverKeys(db)
        const state = JSON.stringify(rows)
        // A process that lacks a key looks for it again each time.
        const isKnown = known?.rows === state && keyring.lacking.length === 0
        if (rows.length === 0 || isKnown) return known !== knownBefore
        const secretsNow = (await serverSecrets(config)) ?? []
        // Another call may have had a newer answer meanwhile: an older one must not replace it.
        if (known !== knownWhenAsked) continue
        const generations = applyRows(keyring, rows, secretsNow)
        if (known?.rows !== state || known.generations !== generations) {
          known = { rows: state, generations }
        }
        return known !== knownBefore
      }
    },
    reload: async (db) => {
      known = undefined
      await keyring.renew(db)
    },
    inUse: async () =>
      ((await serverSecrets(config)) ?? []).filter((secret) => !keyring.finished.includes(secret)),
  }
  return keyring
}

/** Returns the generations in use that are among the secrets. */
const applyRows = (
  keyring: Keyring,
  rows: readonly ServerKeyRow[],
  secrets: readonly string[],
): string => {
  const found = new Map<number, string>()
  for (const row of rows) {
    const secret = secrets.find((one) => isKeyOf(one, row))
    if (secret !== undefined) found.set(row.generation, secret)
  }
  const inUse = rows.filter(({ archive }) => archive === null)
  const writing = inUse.filter(({ seals_since }) => seals_since !== null)
  // A generation that has written is never given up for an older one.
  const newest = Math.max(...writing.map(({ generation }) => generation), keyring.seals.generation)
  const usable = inUse.filter(({ generation }) => found.has(generation))
  keyring.lacking = inUse.filter(({ generation }) => !found.has(generation))
  const keysOf = (purpose: string) =>
    new Map(
      usable.map(({ generation }) => [generation, derivedKey(found.get(generation)!, purpose)]),
    )
  for (const [name, purpose] of Object.entries(purposes)) {
    keyring[name as keyof typeof purposes].replace(keysOf(purpose), newest)
  }
  const registered = [...found.values()]
  keyring.unregistered = secrets.filter((secret) => !registered.includes(secret))
  keyring.finished = rows
    .filter(({ generation, archive }) => archive !== null && found.has(generation))
    .map(({ generation }) => found.get(generation)!)
  const history = keysOf('history')
  keyring.historyKeys = history
  if (history.has(newest)) {
    const older = [...history].filter(([generation]) => generation !== newest)
    keyring.history?.replace(history.get(newest)!, [
      ...older.map(([, key]) => ({ key, untilSizes: { live: Infinity, test: Infinity } })),
      ...rows.flatMap((row) => archivedHistoryKey(keyring, row) ?? []),
    ])
  }
  return usable.map(({ generation }) => generation).join()
}

interface Archive {
  history: string
  untilSizes: Readonly<Record<LogId, number>>
}

const archiveLabel = (generation: number): string => `server key ${generation}`

/** The history key of a finished generation, which the newest generation protects. */
export const archivedHistoryKey = (
  { archive: keys }: Pick<Keyring, 'archive'>,
  { generation, archive }: Pick<ServerKeyRow, 'generation' | 'archive'>,
): OlderHistoryKey | undefined => {
  if (archive === null) return undefined
  const text = keys.first((key) => decryptSecret(key, archiveLabel(generation), archive))
  // Without it, the histories that it has authenticated fail their checks.
  if (text === undefined) return undefined
  const { history, untilSizes } = JSON.parse(text) as Archive
  return { key: Buffer.from(history, 'base64'), untilSizes }
}

/** The stored form of `archivedHistoryKey`. */
export const archiveOf = (
  { archive: keys }: Pick<Keyring, 'archive'>,
  generation: number,
  { key, untilSizes }: OlderHistoryKey,
): Buffer => {
  const archived: Archive = { history: key.toString('base64'), untilSizes }
  return encryptSecret(
    keys.newest,
    archiveLabel(generation),
    JSON.stringify(archived),
    randomBytes(nonceBytes),
  )
}
