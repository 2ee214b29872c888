/** What every command gets: the streams, the options that all commands have, and the client. */
import type { Command } from 'commander'
import { ApiPromise, type ApiResponse } from '../../sdk/src/api-promise.ts'
import { type Client, createClient } from '../../sdk/src/client.ts'
import { ApiError, DocexError } from '../../sdk/src/errors.ts'
import { newKey } from '../../sdk/src/key-store.ts'
import type { CallDescription, ChangeOptions } from '../../sdk/src/request.ts'
import { Interrupted } from './failures.ts'
import type { Io } from './io.ts'
import { type Credential, credentialOf } from './profiles.ts'

export interface GlobalOptions {
  json?: boolean
  profile?: string
  /** Never ask anything. */
  nonInteractive?: boolean
}

export interface Context {
  io: Io
  options: GlobalOptions & Record<string, unknown>
  credential: () => Credential
  client: () => Client
}

/** The options of the command and of the program. */
export const contextOf = (io: Io, command: Command): Context => {
  const options = command.optsWithGlobals<Context['options']>()
  const credential = () => credentialOf(io, options.profile)
  return {
    io,
    options,
    credential,
    client: () => {
      const { apiKey, baseUrl } = credential()
      return interruptible(createClient({ apiKey, baseUrl }), io.signal)
    },
  }
}

/** Of several writes, a key would repeat one only: the error has none. */
export const withoutKey = async <T>(writes: () => Promise<T>): Promise<T> => {
  try {
    return await writes()
  } catch (error) {
    if (error instanceof DocexError || error instanceof Interrupted) {
      error.idempotencyKey = undefined
    }
    throw error
  }
}

/** Whoever interrupts a write gets the key that repeats it: it may have taken effect. */
const interruptible = (client: Client, signal: AbortSignal): Client => {
  const answerTo = async <T>(
    call: CallDescription,
    options: ChangeOptions = {},
    send: (options: ChangeOptions) => Promise<ApiResponse<T>>,
  ): Promise<ApiResponse<T>> => {
    if (call.method === 'GET' || options.dryRun === true) return send({ signal, ...options })
    const { idempotencyKey = newKey() } = options
    try {
      return await send({ signal, ...options, idempotencyKey })
    } catch (error) {
      if (signal.aborted && !(error instanceof ApiError)) throw new Interrupted(idempotencyKey)
      throw error
    }
  }
  return {
    ...client,
    bytes: (call, options) => answerTo(call, options, (all) => client.bytes(call, all)),
    json: <T>(call: CallDescription, options?: ChangeOptions) =>
      new ApiPromise(answerTo(call, options, (all) => client.json<T>(call, all).withResponse())),
  }
}
