/** History, lineage, proof bundle and log (provenance 2 to 4, contract 4). */
import { type Static, Type } from 'typebox'
import { OutputObject } from './objects-and-pages.ts'
import { Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

const Hash = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: ['5d'.repeat(32)] })

const Checkpoint = OutputObject(
  {
    origin: Type.String({ description: 'The name of the log.' }),
    size: Type.Integer({ description: 'Leaves that it covers.' }),
    root: Type.String({ description: 'Root of the Merkle tree, base64.' }),
    as_of: Timestamp('When it was signed.'),
  },
  'The newest signed checkpoint of the log; null before the first.',
)

const Actor = OutputObject(
  {
    kind: StringEnum(['api_key', 'user', 'system'], 'What acted.'),
    organization_id: Type.Optional(Id('org', 'For whom it acted.')),
    key_prefix: Type.Optional(Type.String({ description: 'The prefix of the key.' })),
    key_id: Type.Optional(Id('key', 'The key; only for your own writes.')),
    user_id: Type.Optional(Id('usr', 'The user; only for your own writes.')),
  },
  'Who made the change.',
)

const HistoryEntry = OutputObject(
  {
    seq: Type.Integer({ description: 'From 1, without a gap.' }),
    at: Timestamp('When it happened.'),
    sealed: Type.Boolean({ description: "The other side's own step: it exists, and no more." }),
    held_by: Type.Optional(StringEnum(['counterparty'], 'Who can open a sealed step.')),
    commitment: Type.Optional(Hash('What a sealed step commits to.')),
    erased: Type.Optional(Type.Boolean({ description: 'Its content was erased since.' })),
    type: Type.Optional(
      Type.String({ description: 'What happened.', examples: ['document.issued'] }),
    ),
    from_status: Type.Optional(Nullable(Type.String({ description: 'The state before.' }))),
    to_status: Type.Optional(Nullable(Type.String({ description: 'The state after.' }))),
    actor: Type.Optional(Nullable(Actor)),
    changes: Type.Optional(
      Type.Array(Type.String(), { description: 'The fields that changed for you.' }),
    ),
    hash: Hash('Hash of the event, which is its leaf in the log.'),
    prev: Nullable(Hash('Hash of the event before.')),
    log: Nullable(
      OutputObject(
        { index: Type.Integer({ description: 'Its place in the log.' }) },
        'Null until logged.',
      ),
    ),
  },
  'One event.',
)
export type HistoryEntry = Static<typeof HistoryEntry>

export const History = OutputObject(
  {
    document_id: Id('doc', 'The document.'),
    verified: Type.Boolean({ description: 'Always true: what does not verify is not answered.' }),
    verification: OutputObject(
      {
        events: Type.Integer({ description: 'Events that were verified: all of them.' }),
        head: OutputObject(
          { seq: Type.Integer(), hash: Hash('Hash of the last event.') },
          'The last event.',
        ),
        checks: Type.Array(Type.String(), { description: 'What was checked of every event.' }),
        logged_through_seq: Type.Integer({ description: 'Later events wait for the log.' }),
        checkpoint: Nullable(Checkpoint),
      },
      'What was verified for this answer.',
    ),
    entries: Type.Array(HistoryEntry, { description: 'Oldest first, the whole chain.' }),
  },
  'The verified history of one document.',
)

const LineageDocument = OutputObject(
  {
    id: Id('doc', 'The document.'),
    document_type: Type.String(),
    number: Nullable(Type.String({ description: 'Your number of it.' })),
    label: Type.String(),
    direction: StringEnum(['issued', 'received'], 'Your side.'),
    status: Type.String(),
  },
  'A document that you are party to.',
)

const LineagePayment = OutputObject(
  {
    id: Id('pay', 'The payment.'),
    kind: Type.String({ description: 'What it pays.', examples: ['document_payment'] }),
    status: Type.String({ description: 'As the history tells it: settled, or returned since.' }),
  },
  'A payment that settled the document.',
)

const LineageStep = OutputObject(
  {
    step: Type.Integer({ description: 'From 1; links name steps.' }),
    kind: StringEnum(['document', 'event', 'payment'], 'What the step is.'),
    sealed: Type.Boolean({ description: 'It exists, and no more.' }),
    at: Timestamp('When.'),
    held_by: Type.Optional(
      StringEnum(['counterparty', 'third_party'], 'Who can open a sealed step.'),
    ),
    on_step: Type.Optional(Type.Integer({ description: 'The document of a sealed event.' })),
    seq: Type.Optional(Type.Integer()),
    commitment: Type.Optional(Hash('What a sealed step commits to.')),
    event_hash: Type.Optional(
      Hash('Hash of the sealed event, or of the one in which the payment settled.'),
    ),
    document: Type.Optional(LineageDocument),
    payment: Type.Optional(LineagePayment),
    head: Type.Optional(
      OutputObject(
        { seq: Type.Integer(), hash: Hash('Hash of the last event.') },
        'The last event.',
      ),
    ),
  },
  'One step.',
)
export type LineageStep = Static<typeof LineageStep>

const LineageLink = OutputObject(
  {
    from: Type.Integer({ description: 'A step.' }),
    to: Type.Integer({ description: 'A step.' }),
    relation: Type.String({ description: 'What joins them.', examples: ['billed_as'] }),
    at: Timestamp('When.'),
    recorded_in: Type.Array(
      OutputObject({ step: Type.Integer(), seq: Type.Integer() }, 'An event that records it.'),
    ),
    sealed: Type.Boolean(),
  },
  'A link, recorded in both histories and pinned to the exact version of the other; to a payment, in that of the document.',
)
export type LineageLink = Static<typeof LineageLink>

export const Lineage = OutputObject(
  {
    document_id: Id('doc', 'The document.'),
    verified: Type.Boolean({ description: 'Always true: what does not verify is not answered.' }),
    steps: Type.Array(LineageStep, { description: 'Oldest first.' }),
    links: Type.Array(LineageLink),
    checkpoint: Nullable(Checkpoint),
    truncated: Type.Boolean({ description: 'There is more than is shown.' }),
  },
  'What a document came from and what came of it.',
)

export const ProofBundle = OutputObject(
  {
    format: StringEnum(['svc-proof-bundle/1'], 'The format, and the generation of the verifier.'),
    document: OutputObject(
      {
        id: Id('doc', 'The document.'),
        stream_salt: Type.String({ description: 'Blinds the id in the log.' }),
        state: Type.Object({}, { description: 'What the events come to in your eyes.' }),
      },
      'The document by its events.',
    ),
    viewer: OutputObject(
      {
        organization_id: Id('org', 'For whom it was made.'),
        role: StringEnum(['issuer', 'counterparty'], 'Your side.'),
      },
      'Whose eyes these are.',
    ),
    events: Type.Array(
      OutputObject(
        {
          header: Type.Object({}, { description: 'Hashed as it stands.' }),
          log: Type.Object({}, { description: 'Place and audit path in the log.' }),
          open: Type.Object({}, { description: 'What you may read: salt and body of each slot.' }),
        },
        'One event.',
      ),
    ),
    checkpoint: Type.String({ description: 'The C2SP checkpoint that covers the last event.' }),
    head: Type.String({ description: 'The signed note that this event is the last.' }),
  },
  'A proof that a stranger can verify offline. FORMAT.md describes every byte.',
)

export const LogKeys = OutputObject(
  {
    origin: Type.String({ description: 'The name of the log.' }),
    keys: Type.Array(Type.String(), { description: 'Verifier keys (C2SP vkey).' }),
    windows: Type.Record(
      Type.String(),
      OutputObject(
        { from_size: Type.Integer(), until_size: Nullable(Type.Integer()) },
        'Signs checkpoints of from_size ≤ size < until_size.',
      ),
      { description: 'By key, the sizes of the log at which it signs.' },
    ),
  },
  'What the verifier trusts: save it as its trust.json.',
)

export const LogCheckpoint = OutputObject(
  { checkpoint: Type.String({ description: 'A C2SP checkpoint: a signed note.' }) },
  'The newest checkpoint.',
)

export const LogConsistency = OutputObject(
  {
    from: Type.Integer(),
    to: Type.Integer(),
    proof: Type.Array(Hash('A node of the proof.')),
  },
  'A proof (RFC 9162) that the log of the one size begins with that of the other.',
)
