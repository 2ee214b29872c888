/** The compatibility gate of 9.2 reports every planted break. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breakingChanges } from '../support/contract/breaking-changes.ts'
import {
  type Edit,
  currentOpenApi,
  documentsPath,
  eventFieldPath,
  lineItemPath,
  getOperationPath,
  createOperationPath,
  schemas,
  setAt,
  schemaPath,
  creatableTypes,
  without,
} from '../support/contract/openapi-edits.ts'

const plantedBreaks: [title: string, edit: Edit, reported: RegExp][] = [
  ['a path is removed', setAt(['paths', '/v1/me'], undefined), /GET \/v1\/me: removed/],
  ['a method is removed', setAt(createOperationPath, undefined), /POST \/v1\/documents: removed/],
  [
    'an operation is renamed',
    setAt([...createOperationPath, 'operationId'], 'documents.make'),
    /renamed to/,
  ],
  [
    'another scope is needed',
    setAt([...getOperationPath, 'x-scopes'], ['documents:read', 'payments:read']),
    /needs payments:read/,
  ],
  [
    'keys may no longer call',
    setAt([...getOperationPath, 'security'], [{ adminSession: [] }]),
    /no longer for apiKey/,
  ],
  [
    'a public operation needs a credential',
    setAt(['paths', '/v1/enablement', 'get', 'security'], [{ apiKey: [] }]),
    /now needs a credential/,
  ],
  [
    'a status is removed',
    setAt([...getOperationPath, 'responses', '304'], undefined),
    /304: removed/,
  ],
  [
    'a header of a response is removed',
    setAt([...getOperationPath, 'responses', '200', 'headers', 'ETag'], undefined),
    /ETag: removed/,
  ],
  [
    'a parameter is removed',
    setAt([...documentsPath, 'get', 'parameters', '0'], {
      $ref: '#/components/parameters/IfMatch',
    }),
    /limit: removed/,
  ],
  [
    'a parameter is newly required',
    setAt([...documentsPath, 'get', 'parameters', '0', 'required'], true),
    /limit: newly required/,
  ],
  [
    'a required parameter is added',
    (document) =>
      document.paths['/v1/me']?.['get']?.parameters.push({
        name: 'as',
        in: 'query',
        required: true,
        description: '',
        schema: { type: 'string' },
      }),
    /as: newly required/,
  ],
  [
    'a header is newly required',
    setAt(['components', 'parameters', 'IfMatch', 'required'], true),
    /If-Match: newly required/,
  ],
  [
    'lists are encoded differently',
    setAt([...documentsPath, 'get', 'parameters', '2', 'explode'], true),
    /encoded differently/,
  ],
  [
    'a page becomes smaller',
    setAt([...documentsPath, 'get', 'parameters', '0', 'schema', 'maximum'], 50),
    /limit: maximum/,
  ],
  [
    'a body becomes required',
    setAt(['paths', '/v1/documents/{id}', 'patch', 'requestBody', 'required'], true),
    /body: newly required/,
  ],
  [
    'a field of a body is removed',
    setAt(lineItemPath('sku'), undefined),
    /line_items\[\]\.sku: removed/,
  ],
  [
    'a field of a body is renamed',
    (document) => {
      setAt(lineItemPath('price'), { type: 'number' })(document)
      setAt(lineItemPath('unit_price'), undefined)(document)
    },
    /unit_price: removed/,
  ],
  [
    'a field of a body is newly required',
    setAt(schemaPath('DocumentCreate', 'required'), [
      'connection_id',
      'document_type',
      'line_items',
      'currency',
    ]),
    /currency newly required/,
  ],
  [
    'the maximum length of a text falls',
    setAt(lineItemPath('description', 'maxLength'), 10),
    /description: maxLength/,
  ],
  [
    'the minimum length of a text rises',
    setAt(schemaPath('TransitionRequest', 'properties', 'note', 'minLength'), 3),
    /note: minLength/,
  ],
  [
    'fewer lines are accepted',
    setAt(schemaPath('DocumentCreate', 'properties', 'line_items', 'maxItems'), 100),
    /line_items: maxItems/,
  ],
  [
    'a pattern is added',
    setAt(lineItemPath('description', 'pattern'), '^x'),
    /description: pattern/,
  ],
  [
    'null is no longer accepted',
    setAt(schemaPath('DocumentCreate', 'properties', 'notes'), { type: 'string', maxLength: 5000 }),
    /notes: no longer accepts null/,
  ],
  [
    'a number becomes an integer',
    setAt(lineItemPath('quantity', 'type'), 'integer'),
    /quantity: no longer accepts number/,
  ],
  [
    'a value is no longer accepted',
    setAt(
      schemaPath('DocumentCreate', 'properties', 'document_type', 'enum'),
      creatableTypes?.slice(1),
    ),
    /invoice removed/,
  ],
  [
    'a free text becomes an enum',
    setAt(schemaPath('TransitionRequest', 'properties', 'note', 'enum'), ['a']),
    /note: enum/,
  ],
  [
    'a field of a response is removed',
    setAt(schemaPath('DocumentRecord', 'properties', 'label'), undefined),
    /\.label: removed/,
  ],
  [
    'a field of a response is no longer guaranteed',
    setAt(
      schemaPath('DocumentRecord', 'required'),
      without(schemas['DocumentRecord']?.required, 'total'),
    ),
    /total no longer guaranteed/,
  ],
  [
    'a field of a response has another type',
    setAt(schemaPath('DocumentRecord', 'properties', 'total', 'type'), 'string'),
    /total: may now return string/,
  ],
  [
    'a field of a response may be null',
    setAt(schemaPath('DocumentRecord', 'properties', 'total'), {
      anyOf: [{ type: 'number' }, { type: 'null' }],
    }),
    /total: may now return null/,
  ],
  [
    'a value of a named list is removed',
    setAt(schemaPath('DocumentStatus', 'enum'), ['draft']),
    /status: approved removed/,
  ],
  [
    'a detail of an error is removed',
    setAt(schemaPath('ConflictError', 'properties', 'details', 'properties', 'reason'), undefined),
    /conflict\.details\.reason: removed/,
  ],
  [
    'a type of the feed is removed',
    setAt(schemaPath('EventEnvelope', 'discriminator', 'mapping', 'payment.failed'), undefined),
    /payment\.failed: removed/,
  ],
  [
    'a value of a response is removed',
    setAt(schemaPath('Key', 'properties', 'status', 'enum'), ['active', 'revoked']),
    /rotating removed/,
  ],
  [
    'the pattern of ids changes',
    setAt(schemaPath('DocumentRecord', 'properties', 'id', 'pattern'), '^document_'),
    /id: pattern/,
  ],
  [
    'an error code is removed',
    setAt(schemaPath('ErrorBody', 'discriminator', 'mapping', 'not_found'), undefined),
    /not_found: removed/,
  ],
  [
    'the envelope loses a field',
    setAt(schemaPath('ConflictError', 'properties', 'request_id'), undefined),
    /request_id: removed/,
  ],
  [
    'an event is removed',
    setAt(['webhooks', 'payment.settled'], undefined),
    /payment.settled: removed/,
  ],
  [
    'a field of an event is removed',
    setAt(eventFieldPath('sequence'), undefined),
    /\.sequence: removed/,
  ],
  [
    'a header of a delivery is removed',
    (document) => void document.webhooks['document.created']?.post.parameters.shift(),
    /SvcSignature: removed/,
  ],
  ['the version falls', setAt(['info', 'version'], '1.9.0'), /version: fell/],
]

describe('the gate reports planted breaks', () => {
  for (const [title, edit, expected] of plantedBreaks) {
    test(`the gate reports that ${title}`, () => {
      const newer = currentOpenApi()
      edit(newer)
      setAt(['info', 'version'], title.startsWith('the version') ? '1.9.0' : '1.999.0')(newer)
      const reported = breakingChanges(currentOpenApi(), newer)
      assert(
        reported.some((change) => expected.test(change)),
        `reported only: ${JSON.stringify(reported)}`,
      )
    })
  }
})

test('the gate reports that unknown fields are newly refused', () => {
  const older = currentOpenApi()
  setAt(schemaPath('NoBody', 'additionalProperties'), undefined)(older)
  assert.match(breakingChanges(older, currentOpenApi()).join(), /body: closed/)
})
