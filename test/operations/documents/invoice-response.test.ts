/** Domain 2.1 and 7: what the buyer has answered to an invoice (Peppol BIS Invoice Response 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { type Pair, aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { buyerProfile, sellerProfile, withProfiles } from '../../support/identity/profiles.ts'
import { answersOf, valueIn } from '../../support/interop/answers.ts'
import { responseUseCases, saidBy } from '../../support/interop/response-use-cases.ts'
import { runAdminOnService } from '../../support/processes/program.ts'
import { asSuperuser } from '../../support/provenance/row-tampering.ts'
import { startTestService } from '../../support/test-service.ts'

// Runs without tasks, because the auditor would put the tampered invoice on hold.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await withProfiles(running, await aPair(running))
const { issuer, counterparty } = pair

const { render, problemsOf, walk, invoiceAt, responseOf, credit } = answersOf(running, pair)

describe('the use cases of OpenPEPPOL', () => {
  for (const { name, moves, says } of responseUseCases) {
    test(`${name}: ${says.join(', ')}, the same bytes for both sides`, async () => {
      const id = await invoiceAt(...moves.map((step) => ({ ...step })))
      const { text, headers } = await render(id)
      assert.deepEqual(saidBy(text), says)
      assert.equal((await render(id, counterparty.key)).text, text)
      const etag = headers.get('etag')!
      const again = await render(id, counterparty.key, { 'if-none-match': etag })
      assert.equal(again.status, 304)
      assert.deepEqual(await problemsOf(id), [])
    })
  }
})

describe('domain 2.1: the response to an invoice', () => {
  test('goes from the buyer to the seller, names the invoice, and is marked in a sandbox', async () => {
    const { id, number, document_date: date, issued_at } = await anInvoice(running, pair)
    const { text, headers } = await render(id)
    assert.equal(headers.get('content-type'), 'application/xml')
    const file = `attachment; filename="${number}.response.xml"`
    assert.equal(headers.get('content-disposition'), file)
    const party = ({
      electronic_address,
      legal_name,
    }: Pick<typeof buyerProfile, 'electronic_address' | 'legal_name'>) =>
      `<cbc:EndpointID schemeID="${electronic_address.scheme}">${electronic_address.id}</cbc:EndpointID>` +
      `<cac:PartyLegalEntity><cbc:RegistrationName>${legal_name}</cbc:RegistrationName></cac:PartyLegalEntity>`
    assert(text.includes(`<cac:SenderParty>${party(buyerProfile)}</cac:SenderParty>`), text)
    assert(text.includes(`<cac:ReceiverParty>${party(sellerProfile)}</cac:ReceiverParty>`), text)
    assert(
      text.includes(
        `<cac:DocumentReference><cbc:ID>${number}</cbc:ID><cbc:IssueDate>${date}</cbc:IssueDate><cbc:DocumentTypeCode>380</cbc:DocumentTypeCode>`,
      ),
    )
    assert.equal(valueIn(text, 'Note'), 'SANDBOX: NO LEGAL EFFECT.')
    assert.deepEqual(saidBy(text), ['AB'])
    assert.equal(valueIn(text, 'EffectiveDate'), issued_at.slice(0, 10))
  })

  test('each answered move has an id of its own, and the note is its text', async () => {
    const id = await invoiceAt('acknowledged')
    const first = await responseOf(id)
    await walk(id, { to: 'disputed', reason_code: 'PRI', note: 'The price is\n5 <less> & more.' })
    const second = await responseOf(id)
    assert.notEqual(valueIn(first, 'ID'), valueIn(second, 'ID'))
    assert(valueIn(second, 'ID')!.startsWith(`${id}.`))
    assert.equal(valueIn(second, 'StatusReason'), 'The price is\n5 &lt;less&gt; &amp; more.')
  })

  test('what is approved after a dispute and a credit note is accepted conditionally', async () => {
    const id = await invoiceAt({ to: 'disputed', reason_code: 'DEL', note: 'Two are missing.' })
    await credit(id, 20)
    await walk(id, 'approved')
    const accepted = await responseOf(id)
    assert.deepEqual(saidBy(accepted), ['CA', 'OPStatusReason DEL'])
    assert.equal(valueIn(accepted, 'StatusReason'), 'Accepted less credit notes of 20.00 USD.')
    await credit(id, 30)
    assert.equal(await responseOf(id), accepted, 'a later credit is no answer of the buyer')
    assert.deepEqual(saidBy(await responseOf(await walk(id, 'paid'))), ['PD'])
  })

  test('a dispute that was resolved without a credit note is accepted', async () => {
    const id = await invoiceAt({ to: 'disputed', reason_code: 'PRI' }, 'approved')
    assert.deepEqual(saidBy(await responseOf(id)), ['AP'])
  })

  test('a scheduled payment leaves the approval in force, also when it is cancelled', async () => {
    const id = await invoiceAt({ to: 'approved', reason_code: 'PAY', note: 'We pay in May.' })
    const approved = await responseOf(id)
    const scheduled = { to: 'payment_scheduled', scheduled_for: inDays(7) }
    assert.equal(await responseOf(await walk(id, scheduled)), approved)
    assert.equal(await responseOf(await walk(id, 'approved')), approved)
  })

  test('a reason that only PD may give becomes another one, in words', async () => {
    const text = await responseOf(await invoiceAt({ to: 'rejected', reason_code: 'PPD' }))
    assert.deepEqual(saidBy(text), ['RE', 'OPStatusReason OTH'])
    assert.equal(valueIn(text, 'StatusReason'), 'The document is already paid in part.')
  })

  test('without a reason it is OTH, and the checks warn', async () => {
    const id = await invoiceAt('rejected')
    assert.deepEqual(saidBy(await responseOf(id)), ['RE', 'OPStatusReason OTH'])
    const [problem, ...others] = await problemsOf(id)
    const { rule, field, fatal } = problem!
    assert.deepEqual([rule, field, fatal, others], ['PEPPOL-T111-R002', 'note', false, []])
  })

  test('an erasure takes the texts and leaves the codes', async () => {
    const id = await invoiceAt({ to: 'rejected', reason_code: 'REF', note: 'Ask Eva.' })
    const before = await responseOf(id)
    const { exitCode, output } = await runAdminOnService(running, 'erase', id)
    assert.equal(exitCode, 0, output)
    const after = await responseOf(id)
    assert.deepEqual(saidBy(after), ['RE', 'OPStatusReason OTH'])
    assert.equal(valueIn(after, 'ID'), valueIn(before, 'ID'))
    assert(!after.includes('Eva'))
  })

  test('a changed history is not answered from', async () => {
    const id = await invoiceAt('acknowledged')
    const uuid = decodeId('doc', id)!
    await asSuperuser(
      running.database,
      `update prov_event set at = at + interval '1 day' where document_id = '${uuid}' and seq = 3`,
    )
    assertRefused(await render(id), 'integrity_failure')
  })

  test('a history that ends too early is not answered from', async () => {
    const id = await invoiceAt('acknowledged', 'approved')
    const uuid = decodeId('doc', id)!
    await asSuperuser(
      running.database,
      `delete from log_queue where document_id = '${uuid}' and seq = 4;
       delete from prov_event where document_id = '${uuid}' and seq = 4`,
    )
    assertRefused(await render(id), 'integrity_failure')
  })
})

describe('an invoice without a response', () => {
  const inOrder = 'OP-BR111-R012'
  const noCode = 'PEPPOL-T111-B02901'

  const cases: readonly [name: string, rule: string, make: () => Promise<string>][] = [
    ['a draft', noCode, async () => (await aDraft(running, pair)).id],
    ['a cancelled one', noCode, () => invoiceAt({ to: 'cancelled', by: 'issuer' })],
    [
      'one that was credited in full before it was approved',
      noCode,
      async () => {
        const id = await invoiceAt('acknowledged')
        await credit(id, 1080)
        return id
      },
    ],
    ['a dispute after approval', inOrder, () => invoiceAt('approved', 'disputed')],
    [
      'a dispute of the seller',
      inOrder,
      () => invoiceAt('approved', { to: 'disputed', by: 'issuer' }),
    ],
    ['a rejection after approval', inOrder, () => invoiceAt('approved', 'disputed', 'rejected')],
    ['a withdrawn dispute', inOrder, () => invoiceAt('disputed', 'acknowledged')],
    [
      'a returned payment',
      inOrder,
      async () => {
        const id = await invoiceAt('approved', 'paid')
        const { key } = counterparty
        const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
        const path = `/v1/sandbox/payments/${body.payment.id}/simulate`
        const returned = await callApi(running, 'POST', path, { key, body: { outcome: 'return' } })
        assert.equal(returned.status, 200, returned.text)
        return id
      },
    ],
  ]

  for (const [name, rule, make] of cases) {
    test(`${name}: 409 not_exportable by ${rule}, and the checks say so`, async () => {
      const id = await make()
      const { key } = issuer
      const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
      const refused = assertRefused(await render(id), 'conflict')
      assert.deepEqual(refused, { reason: 'not_exportable', rule, from: body.status })
      const found = (await problemsOf(id)).map((one) => [one.rule, one.field, one.fatal])
      assert.deepEqual(found, [[rule, 'status', true]])
    })
  }

  test('approved again after a dispute, the response is that of the new approval', async () => {
    const id = await invoiceAt('approved', 'disputed', 'approved')
    assert.deepEqual(saidBy(await responseOf(id)), ['AP'])
  })

  test('what was credited in full after its approval is still accepted', async () => {
    const id = await invoiceAt('approved')
    const approved = await responseOf(id)
    await credit(id, 1080)
    assert.equal(await responseOf(id), approved)
  })

  test('another type is 406 with what it has, a stranger gets 404', async () => {
    const order = await aDraft(running, pair, { document_type: 'purchase_order' })
    const { available } = assertRefused(await render(order.id), 'not_acceptable')
    assert.deepEqual(available, ['json', 'csv', 'ubl', 'pdf'])
    const strangers = await aPair(running)
    assertRefused(await render(await invoiceAt(), strangers.issuer.key), 'not_found')
  })

  test('without electronic addresses it is refused, and the checks name the rules', async () => {
    const late: Pair = await aPair(running)
    const { id } = await anInvoice(running, late)
    const refused = assertRefused(await render(id, late.issuer.key), 'conflict')
    const fields = ['counterparty.electronic_address', 'issuer.electronic_address']
    assert.deepEqual([refused.reason, refused.fields], ['profile_incomplete', fields])
    const path = `/v1/documents/${id}/checks?format=invoice_response`
    const { body } = await callApi(running, 'GET', path, { key: late.issuer.key })
    const found = body.problems.map(({ rule, field }: Record<string, string>) => [rule, field])
    assert.deepEqual(found, [
      ['PEPPOL-T111-B00801', fields[0]],
      ['PEPPOL-T111-B02001', fields[1]],
    ])
  })
})
