/** The gate of 9.2, proven: it sees every planted break, and lets every addition pass. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breaks } from './additive-changes.ts'
import {
  type Edit,
  current,
  documents,
  eventField,
  line,
  one,
  post,
  schemas,
  set,
  shape,
  types,
  without,
} from './planted-breaks.ts'

const planted: [title: string, edit: Edit, found: RegExp][] = [
  ['a path is removed', set(['paths', '/v1/me'], undefined), /GET \/v1\/me: removed/],
  ['a method is removed', set(post, undefined), /POST \/v1\/documents: removed/],
  ['an operation is renamed', set([...post, 'operationId'], 'documents.make'), /renamed to/],
  [
    'another scope is needed',
    set([...one, 'x-scopes'], ['documents:read', 'payments:read']),
    /needs payments:read/,
  ],
  [
    'keys may no longer call',
    set([...one, 'security'], [{ adminSession: [] }]),
    /no longer for apiKey/,
  ],
  [
    'anyone may no longer call',
    set(['paths', '/v1/enablement', 'get', 'security'], [{ apiKey: [] }]),
    /now needs a credential/,
  ],
  ['a status is removed', set([...one, 'responses', '304'], undefined), /304: removed/],
  [
    'a header of an answer is removed',
    set([...one, 'responses', '200', 'headers', 'ETag'], undefined),
    /ETag: removed/,
  ],
  [
    'a parameter is removed',
    set([...documents, 'get', 'parameters', '0'], { $ref: '#/components/parameters/IfMatch' }),
    /limit: removed/,
  ],
  [
    'a parameter is newly required',
    set([...documents, 'get', 'parameters', '0', 'required'], true),
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
    set(['components', 'parameters', 'IfMatch', 'required'], true),
    /If-Match: newly required/,
  ],
  [
    'lists are written otherwise',
    set([...documents, 'get', 'parameters', '2', 'explode'], true),
    /written otherwise/,
  ],
  [
    'a page becomes smaller',
    set([...documents, 'get', 'parameters', '0', 'schema', 'maximum'], 50),
    /limit: maximum/,
  ],
  [
    'a body becomes required',
    set(['paths', '/v1/documents/{id}', 'patch', 'requestBody', 'required'], true),
    /body: newly required/,
  ],
  ['a field of a body is removed', set(line('sku'), undefined), /line_items\[\]\.sku: removed/],
  [
    'a field of a body is renamed',
    (document) => {
      set(line('price'), { type: 'number' })(document)
      set(line('unit_price'), undefined)(document)
    },
    /unit_price: removed/,
  ],
  [
    'a field of a body is newly required',
    set(shape('DocumentCreate', 'required'), [
      'connection_id',
      'document_type',
      'line_items',
      'currency',
    ]),
    /currency newly required/,
  ],
  ['a text may be less long', set(line('description', 'maxLength'), 10), /description: maxLength/],
  [
    'a text may no longer be short',
    set(shape('TransitionRequest', 'properties', 'note', 'minLength'), 3),
    /note: minLength/,
  ],
  [
    'fewer lines are taken',
    set(shape('DocumentCreate', 'properties', 'line_items', 'maxItems'), 100),
    /line_items: maxItems/,
  ],
  ['a pattern is added', set(line('description', 'pattern'), '^x'), /description: pattern/],
  [
    'null is no longer taken',
    set(shape('DocumentCreate', 'properties', 'notes'), { type: 'string', maxLength: 5000 }),
    /notes: no longer takes null/,
  ],
  [
    'a number becomes an integer',
    set(line('quantity', 'type'), 'integer'),
    /quantity: no longer takes number/,
  ],
  [
    'a value is no longer taken',
    set(shape('DocumentCreate', 'properties', 'document_type', 'enum'), types?.slice(1)),
    /invoice removed/,
  ],
  [
    'a free text is bound to values',
    set(shape('TransitionRequest', 'properties', 'note', 'enum'), ['a']),
    /note: enum/,
  ],
  [
    'a field of an answer is removed',
    set(shape('Document', 'properties', 'label'), undefined),
    /\.label: removed/,
  ],
  [
    'a field of an answer is no longer sure',
    set(shape('Document', 'required'), without(schemas['Document']?.required, 'total')),
    /total no longer sure/,
  ],
  [
    'a field of an answer has another type',
    set(shape('Document', 'properties', 'total', 'type'), 'string'),
    /total: may now answer string/,
  ],
  [
    'a field of an answer may be null',
    set(shape('Document', 'properties', 'total'), {
      anyOf: [{ type: 'number' }, { type: 'null' }],
    }),
    /total: may now answer null/,
  ],
  [
    'a value of an answer is removed',
    set(shape('Key', 'properties', 'status', 'enum'), ['active', 'revoked']),
    /rotating removed/,
  ],
  [
    'ids look otherwise',
    set(shape('Document', 'properties', 'id', 'pattern'), '^document_'),
    /id: pattern/,
  ],
  [
    'an error code is removed',
    set(shape('Error', 'properties', 'error', 'properties', 'code', 'enum'), ['conflict']),
    /not_found removed/,
  ],
  [
    'the envelope loses a field',
    set(shape('Error', 'properties', 'error', 'properties', 'request_id'), undefined),
    /request_id: removed/,
  ],
  [
    'an event is removed',
    set(['webhooks', 'payment.settled'], undefined),
    /payment.settled: removed/,
  ],
  ['a field of an event is removed', set(eventField('sequence'), undefined), /\.sequence: removed/],
  [
    'a header of a delivery is removed',
    (document) => void document.webhooks['document.created']?.post.parameters.shift(),
    /SvcSignature: removed/,
  ],
  ['the version falls', set(['info', 'version'], '1.9.0'), /version: fell/],
]

describe('the gate sees a planted break', () => {
  for (const [title, edit, expected] of planted) {
    test(title, () => {
      const newer = current()
      edit(newer)
      set(['info', 'version'], title.startsWith('the version') ? '1.9.0' : '1.999.0')(newer)
      const found = breaks(current(), newer)
      assert(
        found.some((one) => expected.test(one)),
        `found only: ${JSON.stringify(found)}`,
      )
    })
  }
})

test('the gate sees that unknown fields are newly refused', () => {
  const older = current()
  set(shape('NoBody', 'additionalProperties'), undefined)(older)
  assert.match(breaks(older, current()).join(), /body: closed/)
})

const additions: [title: string, edit: Edit][] = [
  ['nothing', () => {}],
  ['a path', (document) => set(['paths', '/v1/more'], document.paths['/v1/me'])(document)],
  [
    'a method',
    (document) => set(['paths', '/v1/me', 'put'], document.paths['/v1/me']?.['get'])(document),
  ],
  [
    'a status',
    (document) =>
      set(
        [...one, 'responses', '410'],
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
  ['an optional field of a body', set(line('unit'), { type: 'string' })],
  [
    'a value that is taken',
    set(shape('DocumentCreate', 'properties', 'document_type', 'enum'), [
      ...(types ?? []),
      'debit_note',
    ]),
  ],
  ['a longer text', set(line('description', 'maxLength'), 2000)],
  [
    'a field of a body that is no longer required',
    set(shape('LineItem', 'required'), ['description']),
  ],
  ['null is taken', set(line('quantity'), { anyOf: [{ type: 'number' }, { type: 'null' }] })],
  ['a field of an answer', set(shape('Document', 'properties', 'weight'), { type: 'number' })],
  [
    'a state',
    set(shape('Document', 'properties', 'status', 'enum'), [
      ...(schemas['Document']?.properties?.['status']?.enum ?? []),
      'archived',
    ]),
  ],
  [
    'a field of an answer that is always there',
    set(shape('Document', 'required'), [...(schemas['Document']?.required ?? []), 'pledge']),
  ],
  [
    'an event',
    (document) =>
      set(['webhooks', 'document.viewed'], document.webhooks['document.created'])(document),
  ],
  ['other words', set([...post, 'summary'], 'Make a draft')],
]

describe('the gate lets an addition pass', () => {
  for (const [title, edit] of additions) {
    test(title, () => {
      const newer = current()
      edit(newer)
      set(['info', 'version'], '1.999.0')(newer)
      assert.deepEqual(breaks(current(), newer), [])
    })
  }
})

test('9.2 the version rises with any change, but not with other words', () => {
  const added = current()
  set(line('unit'), { type: 'string' })(added)
  assert.match(breaks(current(), added).join(), /^version: still/)
  const reworded = current()
  set([...post, 'summary'], 'Make a draft')(reworded)
  set(line('sku', 'description'), 'Other words')(reworded)
  assert.deepEqual(breaks(current(), reworded), [])
})
