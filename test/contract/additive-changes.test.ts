/** The compatibility gate of 9.2 accepts every addition, but asks for a higher version. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breakingChanges } from '../support/contract/breaking-changes.ts'
import {
  type Edit,
  currentOpenApi,
  lineItemPath,
  getOperationPath,
  createOperationPath,
  schemas,
  setAt,
  schemaPath,
  creatableTypes,
} from '../support/contract/openapi-edits.ts'

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
    setAt(schemaPath('DocumentRecord', 'properties', 'weight'), { type: 'number' }),
  ],
  [
    'a state',
    setAt(schemaPath('DocumentStatus', 'enum'), [
      ...(schemas['DocumentStatus']?.enum ?? []),
      'archived',
    ]),
  ],
  [
    'a required field of a response',
    setAt(schemaPath('DocumentRecord', 'required'), [
      ...(schemas['DocumentRecord']?.required ?? []),
      'pledge',
    ]),
  ],
  [
    'an event',
    (document) =>
      setAt(['webhooks', 'document.viewed'], document.webhooks['document.created'])(document),
  ],
  [
    'a type in the feed',
    setAt(
      schemaPath('EventEnvelope', 'discriminator', 'mapping', 'document.viewed'),
      '#/components/schemas/DocumentCreatedEvent',
    ),
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
