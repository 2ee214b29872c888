/** What every command gets: the streams, the options that all commands have, and the client. */
import type { Command } from 'commander'
import { type Client, createClient } from '../../sdk/src/client.ts'
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
      return createClient({ apiKey, baseUrl })
    },
  }
}
