/**
 * What the functions of the operations are made of. A function takes a client, then what the
 * method of its operation takes: the values of the path in their order, a query, body or file,
 * and options.
 */
import { changes } from './changes.ts'
import type { Client } from './client.ts'
import { list } from './lists.ts'
import { proof } from './proof.ts'
import { type CallDescription, type ReadOptions, type WriteOptions, segment } from './request.ts'
import { type StreamOptions, followStream } from './stream.ts'

type Method = (...values: never[]) => unknown

/** A method as a function. */
export type Standalone<M extends Method> = (
  client: Client,
  ...values: Parameters<M>
) => ReturnType<M>

export interface Methods {
  readonly [name: string]: Method | Methods
}

/** The methods of a client: each function with the client as its first argument. */
export const withClient = (client: Client, methods: Methods): object =>
  Object.fromEntries(
    Object.entries(methods).map(([name, one]) => [
      name,
      typeof one === 'function' ? one.bind(undefined, client as never) : withClient(client, one),
    ]),
  )

/** The method whose function it becomes says which values come, and what it returns. */
type Untyped = (client: Client, ...values: unknown[]) => never

const standalone = (
  template: string,
  run: (client: Client, path: string, ...rest: unknown[]) => unknown,
): Untyped => {
  const names = template.match(/\{\w+\}/g) ?? []
  const call = (client: Client, ...values: unknown[]) => {
    const path = names.reduce(
      (text, name, i) => text.replace(name, segment(values[i] as string)),
      template,
    )
    return run(client, path, ...values.slice(names.length))
  }
  return call as Untyped
}

/** `takes`: what comes between the values of the path and the options. */
export const operation = (
  method: CallDescription['method'],
  path: string,
  takes?: 'query' | 'body' | 'file',
): Untyped =>
  standalone(path, (client, filled, ...rest) => {
    const taken = takes === undefined ? {} : { [takes]: rest.shift() }
    return client.json({ method, path: filled, ...taken }, rest[0] as WriteOptions)
  })

/** `takes`: whether there is a query. */
export const listing = (path: string, takes?: 'query'): Untyped =>
  standalone(path, (client, filled, ...rest) => {
    const query = takes === undefined ? undefined : rest.shift()
    return list(client, filled, query as object | undefined, rest[0] as ReadOptions)
  })

export const following = (path: string): Untyped =>
  standalone(path, (client, filled, options) =>
    followStream(client, filled, options as StreamOptions | undefined),
  )

export const sweep = (path: string): Untyped =>
  standalone(path, (client, filled, query, options) =>
    changes(client, filled, query as object | undefined, options as ReadOptions),
  )

export const exporting = (path: string): Untyped =>
  standalone(path, (client, filled, options) => proof(client, filled, options as ReadOptions))
