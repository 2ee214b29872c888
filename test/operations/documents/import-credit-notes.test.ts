/** Domain 7: which invoice an imported credit note credits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { aPair, anInvoice, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const { key } = pair.issuer

const issue = async (id: string): Promise<void> => {
  const issued = await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key })
  assert.equal(issued.status, 200, issued.text)
}

/** Issues an invoice that was made of a file of this number. */
const importedInvoice = async (number: string): Promise<string> => {
  const model = await anInvoice(running, pair)
  const file = (await exportOf(running, pair, model, 'ubl')).replaceAll(model.number, number)
  const { body, text } = await importFile(running, pair, file)
  assert.equal(body.external_refs?.issuer_ref, number, text)
  await issue(body.id)
  return body.id
}

/** Imports a credit note whose file names an invoice of this number. */
const importCredit = async (number: string) => {
  const model = await anInvoice(running, pair)
  const path = `/v1/documents/${model.id}/convert`
  const body = { document_type: 'credit_note' }
  const credit = (await callApi(running, 'POST', path, { key, body })).body
  const file = await exportOf(running, pair, credit, 'ubl')
  return importFile(running, pair, file.replaceAll(model.number, number))
}

const creditedBy = async (number: string): Promise<string[]> => {
  const { body, text } = await importCredit(number)
  assert(body.references !== undefined, text)
  return body.references.map((one: { document_id: string }) => one.document_id)
}

describe('domain 7: an imported credit note credits the invoice of the number in its file', () => {
  test('an imported invoice has the number of its own file', async () => {
    const id = await importedInvoice('R-77')
    assert.deepEqual(await creditedBy('R-77'), [id])
  })

  test('a number of two invoices is refused with both, and with the way out', async () => {
    const own = await anInvoice(running, pair)
    const imported = await importedInvoice(own.number)
    const { errors } = assertRefused(await importCredit(own.number), 'invalid_request')
    assert.match(errors[0].message, /^BT-25: /)
    for (const id of [own.id, imported]) assert(errors[0].message.includes(id))
    assert.match(errors[0].fix, /convert/)
  })

  test('drafts, rejected and cancelled invoices do not count', async () => {
    const rejected = await importedInvoice('R-78')
    await move(running, pair.counterparty.key, rejected, 'rejected')
    const cancelled = await importedInvoice('R-78')
    await move(running, key, cancelled, 'cancelled')
    assertRefused(await importCredit('R-78'), 'invalid_request')
    const id = await importedInvoice('R-78')
    assert.deepEqual(await creditedBy('R-78'), [id])
  })

  test('an invoice whose reference was changed no longer has the number of its file', async () => {
    const model = await anInvoice(running, pair)
    const file = (await exportOf(running, pair, model, 'ubl')).replaceAll(model.number, 'R-79')
    const { id } = (await importFile(running, pair, file)).body
    const change = { key, body: { external_refs: { issuer_ref: 'R-80' } } }
    await callApi(running, 'PATCH', `/v1/documents/${id}`, change)
    await issue(id)
    assertRefused(await importCredit('R-79'), 'invalid_request')
  })
})
