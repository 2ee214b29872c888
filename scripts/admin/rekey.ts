/** The commands that move a running deployment to a new server key (docs/decisions/0062). */
import type { Connection } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { serverKeys, tryRekeyLock } from '../../src/store/server-keys.ts'
import { insertOperatorAction } from '../../src/store/operator-actions.ts'
import {
  type ResealedTable,
  announceGeneration,
  beginGeneration,
  finishGenerations,
  rekeyState,
  remainders,
  resealAll,
} from '../../src/startup/rekey.ts'
import { WaitedTooLong } from '../../src/startup/rekey-waits.ts'
import { addServerSecret, keepServerSecrets } from '../../src/startup/server-key-file.ts'
import { BadInput, type Command, type CommandTools } from './admin-command.ts'

/** Rows that do not hold are named up to this number per table. */
const brokenRowsShown = 20

/** Without `--wait`; no transaction of the service lasts as long. */
const waitDefaultSeconds = 300

type RekeyTools = CommandTools & { waitMaxSeconds: number }

const parseWait = (value = String(waitDefaultSeconds)): number => {
  if (/^[1-9]\d{0,4}$/.test(value)) return Number(value)
  throw new BadInput('--wait must be a whole number of seconds, from 1 to 99999.')
}

const rekey = async (db: Connection, tools: RekeyTools): Promise<void> => {
  const { keyring, print } = tools
  let state = await rekeyState(db)
  if (state === 'none') {
    await announceGeneration(db, await newSecret(db, tools))
    state = 'announced'
  }
  if (state === 'announced') {
    await keyring.renew(db)
    print('Announced the new server key to all processes.')
    if (!(await beginGeneration(db, keyring))) {
      throw new BadInput(
        'A process does not have the new key: first start all of them with ' +
          'SERVER_KEY=<new> and SERVER_KEY_PREVIOUS=<old>.',
      )
    }
    const { generation } = keyring.seals
    await record(db, 'rekey', generation, {})
    print(`What begins now is written under generation ${generation} of the server key.`)
  }
  await reseal(db, tools)
  print('All rows are sealed under the new key. When its time has come: rekey --finish')
}

/** From the settings or the file server.key, to which an interrupted command may have added it. */
const newSecret = async (db: Connection, { keyring, config }: CommandTools): Promise<string> => {
  if (config.serverKey === undefined && keyring.unregistered.length === 0) {
    await addServerSecret(config)
    await keyring.reload(db)
  }
  const secret = keyring.unregistered.at(-1)
  if (secret === undefined || keyring.unregistered.length > 1) {
    throw new BadInput(
      'Start every process, and then this command, with SERVER_KEY=<new> and ' +
        'SERVER_KEY_PREVIOUS=<old>.',
    )
  }
  return secret
}

const reseal = async (db: Connection, tools: RekeyTools): Promise<void> => {
  const { keyring, print, waitMaxSeconds } = tools
  const onTable = ({ table, resealed, broken }: ResealedTable) => {
    if (resealed > 0) print(`${table}: ${resealed} rows sealed anew`)
    if (broken.length === 0) return
    print(
      `${table}: ${broken.length} rows are NOT as the service wrote them, and stay as they are:`,
    )
    for (const key of broken.slice(0, brokenRowsShown)) print(`  ${key}`)
  }
  const patience = { maxSeconds: waitMaxSeconds, say: print }
  await resealAll(db, keyring, { onTable, patience }).catch((error: unknown) => {
    throw error instanceof WaitedTooLong ? new BadInput(error.message) : error
  })
}

const finish = async (db: Connection, tools: RekeyTools): Promise<void> => {
  const { keyring, config, print } = tools
  const state = await rekeyState(db)
  if (state === 'announced') throw new BadInput('The rekey has only begun: give rekey again.')
  if (state === 'resealing') {
    await reseal(db, tools)
    const remaining = await remainders(db, keyring)
    for (const { what, count, advice } of remaining) print(`${what}: ${count} (${advice})`)
    if (remaining.length > 0) {
      throw new BadInput('The old server key is still needed: give rekey --finish again later.')
    }
    const finished = await inTransaction(db, (tx) => finishGenerations(tx, keyring))
    await record(db, 'rekey --finish', keyring.seals.generation, { finished })
    await keyring.renew(db)
  } else if (keyring.finished.length === 0) throw new BadInput('There is no rekey to finish.')
  const kept = await keyring.inUse()
  if (config.serverKey === undefined) await keepServerSecrets(config, kept)
  print('The old server key is accepted no more.')
  if (config.serverKey !== undefined) print('Start all processes without SERVER_KEY_PREVIOUS.')
}

const record = (db: Connection, command: string, generation: number, detail: object) =>
  inTransaction(db, async (tx) => {
    const generations = (await serverKeys(tx)).map((row) => row.generation)
    await insertOperatorAction(tx, command, 'server_key', { generation, generations, ...detail })
  })

export const rekeyCommands: Readonly<Record<string, Command>> = {
  rekey: {
    summary: 'move the running service to a new server key; repeat it if it was interrupted',
    options: ['--finish', '--wait <seconds>'],
    perform: async (db, { options }, tools) => {
      const patient = { ...tools, waitMaxSeconds: parseWait(options['wait']) }
      if (!(await tryRekeyLock(db))) {
        throw new BadInput('Another rekey runs on this database: wait until it has ended.')
      }
      return options['finish'] === undefined ? rekey(db, patient) : finish(db, patient)
    },
  },
}
