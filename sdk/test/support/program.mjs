/**
 * What a program of a user does with the installed package, in any runtime: it creates and issues an
 * invoice, lists it, verifies a webhook, and gets an error. Prints what it saw as JSON.
 */
import process from 'node:process'
import { ApiError, Docex } from 'docex'
import { SignatureError, constructEvent, signPayload } from 'docex/webhooks'

const { DOCEX_TEST_CONNECTION: connection_id } = process.env
// The key and the address are in the environment.
const docex = new Docex()

const line_items = [{ description: 'Consulting', quantity: 10, unit_price: 100, tax_rate: 0.08 }]
const draft = await docex.documents.create({ connection_id, document_type: 'invoice', line_items })
const { status, total } = await docex.documents.issue(draft.id)

const found = []
for await (const { id } of docex.documents.list({ limit: 1 })) found.push(id)

const payload = '{"type":"ping"}'
const header = await signPayload(payload, 'whsec_one')
const { type } = await constructEvent(payload, header, 'whsec_one')
const forged = await constructEvent(payload, header, 'whsec_other').catch((error) => error)

const error = await docex.documents.issue(draft.id).catch((error) => error)
const { code, details } = error instanceof ApiError && error.is('conflict') ? error : {}

const isRefused = forged instanceof SignatureError
const seen = { status, total, isListed: found.includes(draft.id), type, isRefused, code }
console.log(JSON.stringify({ ...seen, reason: details?.reason }))
