/** clients.md 1: the schema of a tool is shortened, but forbids nothing that the service takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type JsonSchema, inlineSchema } from '../../src/docs/openapi/json-schema.ts'
import { argumentsOf } from '../../src/mcp/argument-schemas.ts'
import { toolsOf } from '../../src/mcp/tools.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })

type Values = Record<string, unknown>

/** Values of every kind that the schema takes: each choice, null, a list of each kind of entry. */
const samplesOf = (schema: JsonSchema): unknown[] => {
  const { anyOf, enum: values, type, items } = schema
  if (anyOf !== undefined) return anyOf.flatMap(samplesOf)
  if (values !== undefined) return [...values]
  if (type === 'array') return [[], ...samplesOf(items ?? {}).map((one) => [one])]
  if (type === 'object') return objectsOf(schema)
  return [samples[type ?? 'string']]
}

const samples: Values = { null: null, boolean: true, integer: 1, number: 1.5, string: 'text' }

/** One with the required fields alone, and one with each value of each field. */
const objectsOf = ({ properties = {}, required = [] }: JsonSchema): Values[] => {
  const fields = Object.entries(properties).map(([name, one]) => [name, samplesOf(one)] as const)
  const least = Object.fromEntries(
    fields.filter(([name]) => required.includes(name)).map(([name, [first]]) => [name, first]),
  )
  const each = fields.flatMap(([name, values]) =>
    values.map((value) => ({ ...least, [name]: value })),
  )
  return [least, ...each]
}

/** Query and body; `fields` is a text in a tool, and a file is its name, type and bytes. */
const taken = ({ query, body }: Operation): JsonSchema => {
  const both = [query, body].map((one) => inlineSchema(one, new Map()))
  const { fields: _, file: __, ...properties } = { ...both[0]!.properties, ...both[1]!.properties }
  return { properties, required: both.flatMap(({ required = [] }) => required) }
}

test('clients.md 1: the schema of a tool takes every kind of value that its operation takes', () => {
  let [count, nulls] = [0, 0]
  for (const { operation, listed } of toolsOf(operations)) {
    const takes = ajv.compile(listed.inputSchema)
    const texts = Object.fromEntries(listed.inputSchema.required.map((name) => [name, 'text']))
    for (const values of objectsOf(taken(operation))) {
      const sent = { ...texts, ...values }
      assert(takes(sent), `${listed.name}: ${ajv.errorsText(takes.errors)} ${JSON.stringify(sent)}`)
      count += 1
      nulls += JSON.stringify(values).includes('null') ? 1 : 0
    }
  }
  assert(count > 500 && nulls > 50, `${count} calls, ${nulls} of them with null`)
})

test('clients.md 1: the schema of a tool names every argument', () => {
  for (const { operation, listed } of toolsOf(operations)) {
    const names = Object.keys(listed.inputSchema.properties)
    assert.deepEqual(names, Object.keys(argumentsOf(operation)), listed.name)
  }
})
