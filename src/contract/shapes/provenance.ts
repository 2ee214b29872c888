/** History, lineage, proof bundle and transparency log (provenance 2 to 4, contract 4). */
import { type Static, Type } from 'typebox'
import { OpenObject, OutputObject } from './objects.ts'
import { Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

const Hash = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: ['5d'.repeat(32)] })

const Checkpoint = OutputObject(
  {
    origin: Type.String({ description: 'The name of the log.' }),
    size: Type.Integer({ description: 'Number of leaves it covers.' }),
    root: Type.String({ description: 'Root of the Merkle tree, base64.' }),
    as_of: Timestamp('When it was signed.'),
  },
  'The newest signed checkpoint of the log; null before the first.',
)

const UsedApproval = OutputObject(
  {
    id: Id('apr', 'The approval.'),
    digest: Type.String({ description: 'Of what was approved.' }),
    approved_by: Type.Array(Id('usr', 'A user who approved it.')),
  },
  'What a person of your side approved before; only your side sees it.',
)

const Actor = OutputObject(
  {
    kind: StringEnum(['api_key', 'user', 'system'], 'The kind of actor.'),
    organization_id: Type.Optional(Id('org', 'The organization for which it acted.')),
    key_prefix: Type.Optional(Type.String({ description: 'The prefix of the key.' })),
    key_id: Type.Optional(Id('key', 'The key; only for your own writes.')),
    user_id: Type.Optional(Id('usr', 'The user; only for your own writes.')),
  },
  'Who made the change.',
)

const HistoryEntry = OutputObject(
  {
    seq: Type.Integer({ description: 'Sequence number, from 1, gapless.' }),
    at: Timestamp('When it happened.'),
    sealed: Type.Boolean({ description: 'Whether only the other side may read its content.' }),
    held_by: Type.Optional(StringEnum(['counterparty'], 'Who can open a sealed event.')),
    commitment: Type.Optional(Hash('Commitment to the hidden content.')),
    erased: Type.Optional(Type.Boolean({ description: 'Whether its content has been erased.' })),
    type: Type.Optional(
      Type.String({ description: 'What happened.', examples: ['document.issued'] }),
    ),
    from_status: Type.Optional(Nullable(Type.String({ description: 'The status before.' }))),
    to_status: Type.Optional(Nullable(Type.String({ description: 'The status after.' }))),
    actor: Type.Optional(Nullable(Actor)),
    approval: Type.Optional(UsedApproval),
    changes: Type.Optional(
      Type.Array(Type.String(), { description: 'The changed fields that you can see.' }),
    ),
    hash: Hash('Hash of the event, which is also its leaf hash in the log.'),
    prev: Nullable(Hash('Hash of the previous event.')),
    log: Nullable(
      OutputObject(
        { index: Type.Integer({ description: 'Its leaf index in the log.' }) },
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
    verified: Type.Boolean({
      description: 'Always true: a record that fails verification is refused.',
    }),
    verification: OutputObject(
      {
        events: Type.Integer({ description: 'Number of verified events: all of them.' }),
        head: OutputObject(
          { seq: Type.Integer(), hash: Hash('Hash of the last event.') },
          'The last event.',
        ),
        checks: Type.Array(Type.String(), { description: 'The checks that every event passed.' }),
        logged_through_seq: Type.Integer({ description: 'Later events wait for the log.' }),
        checkpoint: Nullable(Checkpoint),
      },
      'What was verified for this response.',
    ),
    entries: Type.Array(HistoryEntry, { description: 'Oldest first, the whole chain.' }),
  },
  'The verified history of one document.',
)

const LineageDocument = OutputObject(
  {
    id: Id('doc', 'The document.'),
    document_type: Type.String(),
    number: Nullable(Type.String({ description: 'Your number for it.' })),
    label: Type.String(),
    direction: StringEnum(['issued', 'received'], 'Your side.'),
    status: Type.String(),
  },
  'A document to which you are a party.',
)

const LineagePayment = OutputObject(
  {
    id: Id('pay', 'The payment.'),
    kind: Type.String({ description: 'The kind of payment.', examples: ['document_payment'] }),
    status: Type.String({ description: 'As recorded in the history: settled or returned.' }),
  },
  'A payment that settled the document.',
)

const LineageStep = OutputObject(
  {
    step: Type.Integer({ description: 'Step number, from 1; links refer to it.' }),
    kind: StringEnum(['document', 'event', 'payment'], 'The kind of step.'),
    sealed: Type.Boolean({ description: 'Whether its content is hidden from you.' }),
    at: Timestamp('When it happened.'),
    held_by: Type.Optional(
      StringEnum(['counterparty', 'third_party'], 'Who can open a sealed step.'),
    ),
    on_step: Type.Optional(Type.Integer({ description: 'The document step of a sealed event.' })),
    seq: Type.Optional(Type.Integer()),
    commitment: Type.Optional(Hash('Commitment to the hidden content.')),
    event_hash: Type.Optional(
      Hash('Hash of the sealed event, or of the event in which the payment settled.'),
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
  'One step of the lineage.',
)
export type LineageStep = Static<typeof LineageStep>

const LineageLink = OutputObject(
  {
    from: Type.Integer({ description: 'A step.' }),
    to: Type.Integer({ description: 'A step.' }),
    relation: Type.String({ description: 'The relation.', examples: ['billed_as'] }),
    at: Timestamp('When it was recorded.'),
    recorded_in: Type.Array(
      OutputObject({ step: Type.Integer(), seq: Type.Integer() }, 'An event that records it.'),
    ),
    sealed: Type.Boolean(),
  },
  "A link between two steps. A link between documents is recorded in both histories, each pinned to the exact version of the other; a link to a payment is recorded in the document's history.",
)
export type LineageLink = Static<typeof LineageLink>

export const Lineage = OutputObject(
  {
    document_id: Id('doc', 'The document.'),
    verified: Type.Boolean({
      description: 'Always true: a record that fails verification is refused.',
    }),
    steps: Type.Array(LineageStep, { description: 'Oldest first.' }),
    links: Type.Array(LineageLink),
    checkpoint: Nullable(Checkpoint),
    truncated: Type.Boolean({ description: 'Whether there are more steps than are shown.' }),
  },
  'The documents and payments that led to a document and that followed from it.',
)

export const ProofBundle = OutputObject(
  {
    format: StringEnum(['svc-proof-bundle/2'], 'The format, and the generation of the verifier.'),
    document: OutputObject(
      {
        id: Id('doc', 'The document.'),
        stream_salt: Type.String({ description: 'Blinds the id in the log.' }),
        state: OpenObject('The state that your events replay to.'),
      },
      'The document, reconstructed from its events.',
    ),
    viewer: OutputObject(
      {
        organization_id: Id('org', 'The organization for which it was exported.'),
        role: StringEnum(['issuer', 'counterparty'], 'Your side.'),
      },
      'The viewer.',
    ),
    events: Type.Array(
      OutputObject(
        {
          header: OpenObject('The hashed header.'),
          log: OpenObject('Leaf index and audit path in the log.'),
          open: OpenObject('Salt and body of each slot that you may read.'),
        },
        'One event.',
      ),
    ),
    checkpoint: Type.String({ description: 'The C2SP checkpoint that covers the last event.' }),
    head: Type.String({ description: 'The signed note stating that this event is the last.' }),
  },
  'A proof that anyone can verify offline. FORMAT.md describes every byte.',
)

export const PledgeProof = OutputObject(
  {
    format: StringEnum(['svc-pledge-proof/1'], 'The format of this file.'),
    agreement: OpenObject('The proof bundle of the agreement.'),
    invoice: OutputObject(
      {
        document_id: Id('doc', 'The pledged invoice.'),
        stream_salt: Type.String({ description: 'Blinds the id in the log.' }),
        events: Type.Array(OpenObject('One event.'), {
          description: 'All of its events; open is the slot for lenders, while the pledge lasts.',
        }),
        checkpoint: Type.String({ description: 'The checkpoint that covers its last event.' }),
        head: Type.String({ description: 'The signed note stating that this event is the last.' }),
      },
      'What a lender may see of the invoice.',
    ),
  },
  'A proof of a pledge that anyone can verify offline. FORMAT.md describes every byte.',
)

export const Receipt = OutputObject(
  {
    format: StringEnum(['svc-receipt/1'], 'The format of this file.'),
    header: OpenObject('The hashed header of the event.'),
    log: OpenObject('Leaf index and audit path in the log.'),
    checkpoint: Type.String({ description: 'The first C2SP checkpoint that covers the event.' }),
  },
  'A proof of one event that anyone can verify offline. FORMAT.md describes every byte.',
)

export const LogKeys = OutputObject(
  {
    origin: Type.String({ description: 'The name of the log.' }),
    keys: Type.Array(Type.String(), { description: 'Verifier keys (C2SP vkey).' }),
    windows: Type.Record(
      Type.String(),
      OutputObject(
        { from_size: Type.Integer(), until_size: Nullable(Type.Integer()) },
        'Signs checkpoints with from_size ≤ size < until_size.',
      ),
      { description: 'For each key, the log sizes at which it signs.' },
    ),
  },
  'The keys that the verifier trusts: save this as its trust.json.',
)

export const LogCheckpoint = OutputObject(
  { checkpoint: Type.String({ description: 'A C2SP checkpoint: a signed note.' }) },
  'The newest checkpoint.',
)

export const LogEpochs = OutputObject(
  {
    format: StringEnum(['svc-epochs/1'], 'The format of this file.'),
    checkpoint: Type.String({ description: 'The C2SP checkpoint that covers the leaves.' }),
    epochs: Type.Array(
      OutputObject(
        {
          header: OpenObject('The hashed header.'),
          log: OpenObject('Leaf index and audit path in the log.'),
          open: OpenObject('Salt and body: the last checkpoint of the epoch before.'),
        },
        'The first event of one epoch.',
      ),
      { description: 'Newest first; empty in the first epoch.' },
    ),
  },
  'A proof that the log continues its earlier epochs. FORMAT.md describes every byte.',
)

export const LogConsistency = OutputObject(
  { from: Type.Integer(), to: Type.Integer(), proof: Type.Array(Hash('A node of the proof.')) },
  'A proof (RFC 9162) that the larger log starts with the smaller one.',
)
