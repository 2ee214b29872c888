/** The compatibility gate of 9.2 reports every planted break and accepts every addition. */
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
    setAt(schemaPath('Document', 'properties', 'label'), undefined),
    /\.label: removed/,
  ],
  [
    'a field of a response is no longer guaranteed',
    setAt(schemaPath('Document', 'required'), without(schemas['Document']?.required, 'total')),
    /total no longer guaranteed/,
  ],
  [
    'a field of a response has another type',
    setAt(schemaPath('Document', 'properties', 'total', 'type'), 'string'),
    /total: may now return string/,
  ],
  [
    'a field of a response may be null',
    setAt(schemaPath('Document', 'properties', 'total'), {
      anyOf: [{ type: 'number' }, { type: 'null' }],
    }),
    /total: may now return null/,
  ],
  [
    'a value of a response is removed',
    setAt(schemaPath('Key', 'properties', 'status', 'enum'), ['active', 'revoked']),
    /rotating removed/,
  ],
  [
    'the pattern of ids changes',
    setAt(schemaPath('Document', 'properties', 'id', 'pattern'), '^document_'),
    /id: pattern/,
  ],
  [
    'an error code is removed',
    setAt(schemaPath('Error', 'properties', 'error', 'properties', 'code', 'enum'), ['conflict']),
    /not_found removed/,
  ],
  [
    'the envelope loses a field',
    setAt(schemaPath('Error', 'properties', 'error', 'properties', 'request_id'), undefined),
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

const additions: [title: string, edit: Edit][] = [
  ['no change', () => {}],
  ['a path', (document) => setAt(['paths', '/v1/more'], document.paths['/v1/me'])(document)],
  [
    'a method',
    (document) => setAt(['paths', '/v1/me', 'put'], document.paths['/v1/me']?.['get'])(document),
  ],
  [
    'a status',
    (document) =>
      setAt(
        [...getOperationPath, 'responses', '410'],
        document.paths['/v1/me']?.['get']?.responses['401'],
      )(document),
  ],
  [
    'an optional parameter',
    (document) =>
      document.paths['/v1/me']?.['get']?.parameters.push({
        name: 'as',
        in: 'query',
        required: false,
        description: '',
        schema: { type: 'string' },
      }),
  ],
  ['an optional field of a body', setAt(lineItemPath('unit'), { type: 'string' })],
  [
    'a newly accepted value',
    setAt(schemaPath('DocumentCreate', 'properties', 'document_type', 'enum'), [
      ...(creatableTypes ?? []),
      'debit_note',
    ]),
  ],
  ['a longer text', setAt(lineItemPath('description', 'maxLength'), 2000)],
  [
    'a field of a body that is no longer required',
    setAt(schemaPath('LineItem', 'required'), ['description']),
  ],
  [
    'a newly accepted null',
    setAt(lineItemPath('quantity'), { anyOf: [{ type: 'number' }, { type: 'null' }] }),
  ],
  [
    'a field of a response',
    setAt(schemaPath('Document', 'properties', 'weight'), { type: 'number' }),
  ],
  [
    'a state',
    setAt(schemaPath('Document', 'properties', 'status', 'enum'), [
      ...(schemas['Document']?.properties?.['status']?.enum ?? []),
      'archived',
    ]),
  ],
  [
    'a required field of a response',
    setAt(schemaPath('Document', 'required'), [...(schemas['Document']?.required ?? []), 'pledge']),
  ],
  [
    'an event',
    (document) =>
      setAt(['webhooks', 'document.viewed'], document.webhooks['document.created'])(document),
  ],
  ['another wording', setAt([...createOperationPath, 'summary'], 'Make a draft')],
]

describe('the gate accepts additions', () => {
  for (const [title, edit] of additions) {
    test(`the gate accepts ${title}`, () => {
      const newer = currentOpenApi()
      edit(newer)
      setAt(['info', 'version'], '1.999.0')(newer)
      assert.deepEqual(breakingChanges(currentOpenApi(), newer), [])
    })
  }
})

test('9.2 any change but a rewording needs a higher version', () => {
  const added = currentOpenApi()
  setAt(lineItemPath('unit'), { type: 'string' })(added)
  assert.match(breakingChanges(currentOpenApi(), added).join(), /^version: still/)
  const reworded = currentOpenApi()
  setAt([...createOperationPath, 'summary'], 'Make a draft')(reworded)
  setAt(lineItemPath('sku', 'description'), 'Other words')(reworded)
  assert.deepEqual(breakingChanges(currentOpenApi(), reworded), [])
})
