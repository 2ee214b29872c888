/**
 * Every clause of the contract beyond the specification has a test. A clause is written here in a
 * few words, beside the beginning of the title of a test that fails when the clause is broken.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

type Clause = readonly [clause: string, title: string]

const conventions: readonly Clause[] = [
  ['1 only application/json', 'contract 1: only unencoded application/json in UTF-8'],
  ['1 a wrong id in a path is 404', '${operation.id} answers a wrong id in the path with the 404'],
  ['1 a wrong id in a body is 400', '${operation.id} answers a wrong id at ${param} with 400'],
  ['1 unknown fields', 'contract 1: an unknown field answers 400 unknown_field'],
  ['1 unknown parameters', 'contract 1: an unknown query parameter answers 400'],
  ['1 did you mean', 'an unknown query parameter gets the suggestion of a known one'],
  ['1 read-only fields', 'contract 1: a field of the created record that the service sets'],
  ['1 open maps', 'contract 1: an open map has at most 20 keys of 40 characters'],
  ['1 metadata is the issuer’s', 'only the issuer sees metadata; both sides see external_refs'],
  ['1 not yours is 404', 'contract 1: another organization gets the 404 of a missing record'],
  ['1 a draft is 404 for the other', '3 a draft answers its counterparty with the same 404'],
  ['1 headers of every response', 'success, 304, replay, dry run and public responses carry'],
  ['1 ETag and If-Match', 'If-Match with another revision answers 412 with the current one'],
  ['1 If-None-Match', 'If-None-Match with the current revision answers 304'],
  ['2 docs_url', '7 the error codes equal the anchors errors-* of /v1/docs'],
  ['2 all problems at once', 'contract 2: every problem is listed at once'],
  ['2 beyond the schema', 'contract 2: a body that its schema accepts is checked for what'],
  ['2 messages teach', 'contract 2: a refusal says what to do instead'],
  ['2 unauthorized', 'an unknown key and a revoked one get the same message'],
  ['2 insufficient_scope', 'specification 5.5: a key that lacks a required scope gets 403'],
  ['2 capability_unavailable', 'specification 3: a live payment without a processor answers'],
  ['2 sandbox_isolation', 'contract 2: the caller’s own ${mismatch} answers sandbox_isolation'],
  ['2 method_not_allowed', 'an unknown path gets 404, an unknown method of a known path 405'],
  ['2 not_acceptable', 'an unknown format is 400, one that the type lacks is 406'],
  ['2 payload_too_large', '1 MiB is accepted and 1 byte more answers 413'],
  ['2 attachments of 25 MiB', 'a file of 25 MiB is accepted, and one byte more answers 413'],
  ['2 internal_error', 'internal_error shows no detail of the failure'],
  ['2 service_unavailable', 'timeouts, deadlocks and serialization failures mean busy'],
  ['2 order of refusals', 'contract 2: the order of refusals'],
  ['2 a family that is off', 'contract 2: ${method} ${pattern} of the disabled family'],
]

const callers: readonly Clause[] = [
  ['3 form of a key', 'a key is rk_test_ or rk_live_, dx1_, 43 characters and a CRC32'],
  ['3 only a keyed hash is stored', 'only a MAC of the whole key is stored'],
  ['3 sign-in', 'sign-in answers 201 with organization, user, role, scopes'],
  ['3 one refusal of a sign-in', 'a wrong password, an unknown user and a user without password'],
  ['3 reading and ending a session', 'reading and ending a session'],
  ['3 switching', 'contract 3: switching the organization'],
  ['3 admin operations', 'contract 3: an admin operation refuses a key with every scope'],
  ['3 origin', 'contract 3: what a session writes has the origin app'],
  ['3 scopes on finance', 'contract 3: reads of finance need documents:read'],
  ['3 addresses', 'contract 3: the right-most untrusted X-Forwarded-For entry counts'],
  ['3 last_used_at', 'contract 3: last_used_at is written off the request path'],
  ['3 at once, everywhere', 'a revoked key is refused at once by every process'],
  ['4 transitions', 'transitions lists the moves open to the caller, their scopes'],
  ['4 attachments', 'a link that is altered, expired or issued to an organization'],
  ['4 ended connections', 'an ended connection refuses new documents and issues'],
  ['4 expired after', 'contract 4: an expired, foreign or unknown `after` answers 400'],
  ['4 limits need payments:write', 'a key without payments:write has no payment limits'],
  ['4 secret of an endpoint', 'contract 4: only the response of the registration shows'],
  ['4 private addresses', 'contract 4: private addresses'],
  ['4 ping', 'a ping makes one real attempt, signed like a delivery'],
  ['4 recover', 'recover delivers older events by range and type, each once'],
  ['4 idempotency.get', 'contract 4: GET /v1/idempotency/{key} names the record'],
  ['4 requests', 'the list filters by key, status, path and since'],
  ['4 tool calls are requests', 'a tool call is one entry of the request log'],
  ['4 sandboxes', 'a new pair is ready at once: both sides have keys and sessions'],
  ['4 public pages', 'enablement and the specification are read without a credential'],
  ['4 readiness', 'a listening process is not ready until its startup work is done'],
  ['4 fields of records', 'contract 4 and 11: records have the fields that are listed'],
  ['4 rotation of a key', 'the new key keeps name, scopes, ranges, limits and expiry'],
]

const writesAndLists: readonly Clause[] = [
  ['5.1', '5.1 an Idempotency-Key belongs to its organization'],
  ['5.2', 'contract 5.2: an Idempotency-Key is 8 to 128 printable characters'],
  ['5.3', 'when it breaks at many COMMITs, each key has one effect'],
  ['5.4', '4.2.7 a concurrent retry in ${where} process answers request_in_progress'],
  ['5.5', '5.5 a replay answers the original response, even in a second process'],
  ['5.6', '5.6 the replay of a mint shows the same secret, and no table contains it'],
  ['5.7', '4.2.4 a key is stored for 24 hours, after which it runs a new request'],
  ['5.7 pay is protected by state', 'paying again with any Idempotency-Key answers the same'],
  ['5.8', '5.8 a dry run stores nothing, shows no secret and leaves the key unused'],
  ['6 order of each viewer', 'the counterparty’s list is sorted by the moment it first saw'],
  ['6 sort=updated', 'what changes during the walk comes again at its end'],
  ['6 cursors', 'a cursor of another organization, list or filter answers invalid_cursor'],
  ['6 updated_since', 'updated_since is inclusive and exact to the stored precision'],
  ['6 cost of a page', 'a page of ${name} ${filter} costs the same at any depth'],
  ['7 request is the caller’s', 'only the organization whose call caused an event learns'],
  ['7 ping', 'a failing ping is answered but neither retried nor counted'],
  ['7 headers', 'the body is the event of the feed byte for byte, with the signatures'],
  ['7 time limits', 'a call to a receiver that hangs or responds byte by byte ends'],
  ['7 4 KiB are kept', 'of a 10 MB response, 4 KiB are stored'],
  ['7 redirects', 'contract 7: any 3xx is a failure'],
  ['7 pinned address', 'reliability 4.6: a name that changes between DNS queries'],
  ['7 jitter', 'contract 7: a delay has ten per cent of jitter either way'],
  ['7 Retry-After', 'contract 7: Retry-After of a 503 is honoured'],
  ['7 six failures', 'the sixth failure is terminal; 410 and redirects count'],
  ['7 twenty failures', 'exactly twenty disable the endpoint; later events are skipped'],
  ['7 slow endpoints', 'contract 7: ten endpoints that hang delay neither'],
  ['7 eight in flight', 'contract 7: at most 8 deliveries are in flight'],
  ['7 exactly what is committed', 'reliability I1, I2, I6: SIGKILL of the service'],
  ['8 words and prefixes', 'contract 8: SKU-9 finds that SKU and longer ones'],
  ['8 typos', 'a typo is tolerated in a party’s name and nowhere else'],
  ['8 at once', 'only the issuer finds a draft, immediately and by its latest content'],
  ['9 names of tools', 'contract 9: names are those of the operations'],
  ['9 every operation', 'contract 9: an admin session sees every operation'],
  ['9 idempotency_key', 'contract 9: a write without idempotency_key is refused'],
  ['9 errors', 'contract 9: a refusal is a tool error with the whole envelope'],
  ['9 limits', 'domain 4.3: payment limits refuse over MCP as over HTTP'],
  ['9 both eras', '${era} over ${transport}'],
]

const operationAndDetails: readonly Clause[] = [
  ['10 a wrong setting', 'contract 10: a wrong value is named with its setting'],
  ['10 sandbox.json', 'a second start keeps keys and password'],
  ['11 status codes', 'contract 11: what creates a record answers 201'],
  ['11 payment_in_progress', 'while a payment is processing, transitions answer 409'],
  ['11 allowed and from', 'an illegal transition lists allowed'],
  ['11 families of paths', 'contract 11: a path belongs to the family of the list'],
  ['11 unknown targets', 'contract 11: a target that no type has is an invalid value'],
  ['11 clock', 'an advance makes documents overdue but changes no recorded time'],
  ['11 reset', 'a reset keeps keys with the used part of their limits, sessions'],
  ['11 quotas', 'a total quota has no reset time'],
  ['11 acct_test_*', 'magic accounts are unlisted, work with any currency'],
  ['11 redelivery', 'redeliver resets the delivery to pending with the same id'],
  ['11 expiry of a rotated key', 'contract 11: a key that expires within the grace period'],
  ['11 key_not_active', 'contract 11: only an active key can be rotated'],
  ['11 ranges', 'no ranges mean any address, at most 20 are accepted'],
  ['11 PATCH {}', 'contract 11: PATCH with {} answers 200 with the same revision'],
  ['11 limit of a cursor', 'a cursor works with another limit, another key'],
  ['11 both limits', 'contract 11: of two exceeded limits max_per_payment is named'],
  ['11 origins of the logs', 'contract 11: the log of each environment has its origin'],
  ['11 balances', 'contract 11: nothing is owed for a type that nobody pays'],
  ['11 null and absent', 'contract 11: null and absent'],
  ['11 payments off', 'contract 11: with payments switched off, nothing is payable'],
  ['11 as_of', 'balances are those that the clock showed at a time'],
  ['11 running_balance', 'payments that settle in another order than they began add up'],
  ['11 sign-in without organization', 'a later session is for the organization last used'],
  ['11 dry run of a used key', 'another document is refused, the same one replayed'],
  ['11 texts', 'contract 11 and 12: texts have no control and no bidirectional'],
  ['11 tax_category', 'contract 11: tax_category is one of seven'],
  ['11 rows that pay', 'a key without payments:write neither sees nor makes the transitions'],
  ['11 in place', 'a transition to payment_scheduled answers that status'],
  ['11 sweeps', 'domain 5.4: a scheduled repayment is cancelled by the sweep'],
  ['11 frozen events', 'contract 11: an event is immutable and shows the document'],
  ['12 profile', 'contract 12: the profile'],
  ['12 members', 'contract 12: members'],
  ['12 owners', 'contract 12: owners'],
  ['12 stream', 'both sides are told of a change, by name alone'],
  ['12 requests.get', 'a refused request shows its code, its message and its problems'],
  ['12 export of an agreement', 'domain 5.6: the agreement names the invoice'],
  ['12 webhooks:manage', 'it is granted only beside what its endpoints receive'],
  ['12 Svc-Event', 'Svc-Event is what both sides’ history says of the event'],
  ['12 window org', 'more keys admit no more, and the refusal names the window org'],
  ['12 loopback', 'the reach is loopback by default where everything is on this machine'],
  ['12 own ports', 'contract 12: an endpoint on a port of this service'],
  ['12 whose clock', 'the payer’s clock executes a scheduled payment'],
  ['12 too_many_endpoints', 'in live mode, the endpoints are 409 too_many_endpoints'],
  ['12 blockers', 'contract 12: issuable and blockers exist on drafts'],
  ['12 warnings', 'contract 11 and 12: warnings of a dry run'],
]

const testFolder = join(import.meta.dirname, '..')

const titles = (): string[] =>
  readdirSync(testFolder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('every-contract-clause.test.ts'))
    .flatMap((file) => [...readFileSync(join(testFolder, file), 'utf8').matchAll(named)])
    .map(([, , title]) => title!)

const named = /\b(?:test|describe)\(\s*(['`])(.*)\1/g

test('every clause of the contract is named by a test', () => {
  const found = titles()
  const clauses = [...conventions, ...callers, ...writesAndLists, ...operationAndDetails]
  assert.deepEqual(
    clauses.filter(([, title]) => !found.some((one) => one.includes(title))),
    [],
  )
})
