/**
 * The unions of the OpenAPI document: an event is told by its `type` and an error by its `code`.
 * Each has one named schema for every value of that field, as generators of clients expect.
 */
import { errorCodes } from '../../contract/error-codes.ts'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { type EventType, eventTypeNames, eventTypes } from '../../contract/events.ts'
import { detailsOf } from '../../contract/shapes/error-details.ts'
import { eventSchemaOf } from '../../contract/shapes/events.ts'
import { shapeNames } from '../shapes.ts'
import { type JsonSchema, inlineSchema } from './json-schema.ts'

/** `document.status_changed` is DocumentStatusChangedEvent, `not_found` is NotFoundError. */
const nameOf = (value: string, kind: 'Event' | 'Error'): string => {
  const words = value.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
  return words.at(-1) === kind ? words.join('') : [...words, kind].join('')
}

const referenceTo = (name: string): string => `#/components/schemas/${name}`

export const eventReference = (type: EventType): JsonSchema => ({
  $ref: referenceTo(nameOf(type, 'Event')),
})

/** What every refusal answers with; the codes of a status are in `x-codes` and its examples. */
export const errorEnvelope: JsonSchema = { $ref: referenceTo('ErrorEnvelope') }

const unionOf = (
  values: readonly string[],
  propertyName: string,
  kind: 'Event' | 'Error',
): JsonSchema => {
  const references = values.map((value) => [value, referenceTo(nameOf(value, kind))] as const)
  return {
    type: 'object',
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName, mapping: Object.fromEntries(references) },
  }
}

/** The envelope of an event is the union of all types. */
export const eventSchemas = (): Record<string, JsonSchema> => ({
  EventEnvelope: {
    description: 'An event, frozen when it was written. Ignore a type that you do not know.',
    ...unionOf(eventTypeNames, 'type', 'Event'),
  },
  ...Object.fromEntries(
    eventTypeNames.map((type) => [
      nameOf(type, 'Event'),
      { ...inlineSchema(eventSchemaOf(type), shapeNames), description: eventTypes[type] },
    ]),
  ),
})

/** The error envelope (specification 7) around the union of all codes. */
export const errorSchemas = (options: { isSignIn: boolean }): Record<string, JsonSchema> => ({
  ErrorEnvelope: {
    type: 'object',
    description: 'The envelope of all errors.',
    required: ['error'],
    properties: { error: { $ref: referenceTo('ErrorBody') } },
  },
  ErrorBody: {
    description: 'The error. Treat a code that you do not know by the status of the response.',
    ...unionOf(errorCodes, 'code', 'Error'),
  },
  ...Object.fromEntries(
    errorCodes.map((code) => [nameOf(code, 'Error'), errorSchemaOf(code, options)]),
  ),
})

const errorSchemaOf = (code: ErrorCode, options: { isSignIn: boolean }): JsonSchema => ({
  type: 'object',
  description: errors[code].meaning,
  required: ['code', 'message', 'docs_url', 'request_id'],
  properties: {
    code: { type: 'string', enum: [code], description: 'The kind of error.' },
    message: { type: 'string', description: 'What is wrong, and what to send instead.' },
    docs_url: {
      type: 'string',
      format: 'uri',
      description: 'The section of the docs about the code.',
    },
    request_id: { type: 'string', description: 'The Request-Id of this request.' },
    details: inlineSchema(detailsOf(code, options), shapeNames),
  },
})
