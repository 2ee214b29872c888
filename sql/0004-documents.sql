-- Documents: one shared record each, one list row per viewer, the links between documents, and
-- their attachments.

create table documents (
  id                    uuid primary key,
  mode                  text not null,
  connection_id         uuid not null,
  issuer_id             uuid not null,
  counterparty_id       uuid not null,
  a_id                  uuid not null generated always as (least(issuer_id, counterparty_id)) stored,
  b_id                  uuid not null generated always as (greatest(issuer_id, counterparty_id)) stored,
  type                  text not null,
  origin                text not null constraint origin_is_known check (origin in ('api', 'app')),
  issuer_number         text not null,
  currency              text not null,
  document_date         date not null,
  -- Whether the issuer chose the date. If not, issuing sets it again.
  document_date_given   boolean not null,
  -- Which half of the payment terms stays fixed when the document date moves.
  terms_form            text not null constraint terms_form_is_known check (terms_form in ('text', 'date', 'none')),
  due_date              date,
  valid_until           date,
  -- Whether the issuer chose the last day of the offer. If not, it moves with the document date.
  valid_until_given     boolean not null default false,
  -- Minor units.
  total                 bigint not null,
  -- JSON text shared by both viewers, spliced into responses and never re-serialized.
  content               text not null,
  -- Visible to the issuer only.
  metadata              text not null default '{}',
  -- The document's position in each viewer's list (document_views.position).
  issuer_position       bigint not null,
  -- Provenance: the blinded stream and the head of its hash chain.
  stream_salt           bytea not null,
  created_at            timestamptz(3) not null,
  -- What changes after issue comes last: an update then logs the end of the row only.
  status                text not null,
  revision              integer not null,
  counterparty_number   text,
  -- The digests of the profiles at issue by side, as JSON; null if no party had one.
  party_profiles        text,
  -- The last day of an offer that may still lapse. The indexes are on this column, not on status, so
  -- that a change of an invoice's status touches no index.
  lapses_after          date generated always as (
    case when status in ('sent', 'acknowledged') then valid_until end) stored,
  amount_paid           bigint not null default 0,
  amount_credited       bigint not null default 0,
  dispute               text,
  -- A copy of the latest payment, from which both projections are made.
  payment               text,
  -- The open listing of an invoice, its pledge, and the loan of which the document is a part, as JSON
  -- (core/finance/document-finance.ts).
  finance               text,
  -- The number of issued documents made from this one that are neither rejected nor cancelled, and
  -- their sum in minor units: the subtotals of an order's invoices, or the totals of an invoice's
  -- credit notes.
  derived_count         integer not null default 0,
  derived_amount        bigint not null default 0,
  -- The number of events about this document per receiver (webhook `sequence`).
  issuer_events         integer not null default 0,
  counterparty_events   integer not null default 0,
  -- As issuer_position; null until the document is issued.
  counterparty_position bigint,
  head_seq              integer not null,
  head_hash             bytea not null,
  integrity_hold        boolean not null default false,
  -- Set once exactly one party has reset its sandbox: the document stays readable but can no longer
  -- change. It follows from the positions; it is stored so that a read need not load both parties.
  is_frozen             boolean not null default false,
  issued_at             timestamptz(3),
  updated_at            timestamptz(3) not null,
  -- A MAC over the other columns (src/database/row-seals.ts).
  seal                  bytea not null,
  unique (id, mode),
  foreign key (connection_id, mode, a_id, b_id) references connections (id, mode, a_id, b_id),
  constraint issuer_and_counterparty_differ check (issuer_id <> counterparty_id),
  constraint balance_is_never_negative
    check (total >= 0 and amount_paid >= 0 and amount_credited >= 0
           and amount_paid + amount_credited <= total),
  constraint derived_documents_are_never_negative check (derived_count >= 0 and derived_amount >= 0),
  constraint the_counterparty_has_a_number_iff_issued
    check ((issued_at is null) = (counterparty_number is null))
);
comment on table documents is 'The shared record of one document (specification 2.1).';
-- Offers whose last day may have passed (tasks/expire-offers.ts).
create index documents_by_lapse on documents (lapses_after) where lapses_after is not null;
-- Lapsed offers of one issuer, for a sandbox whose clock is ahead.
create index documents_by_lapse_of_issuer on documents (issuer_id, lapses_after)
  where lapses_after is not null;
-- Room in each page for the next version of a row, which then needs no new entry in any index.
alter table documents set (fillfactor = 55);

-- A draft's content changes with every edit, but the events and the stored responses of that time
-- leave the content out of their texts.

create table replaced_contents (
  document_id uuid not null references documents (id),
  -- The last revision with this content.
  revision    integer not null,
  content     text not null,
  replaced_at timestamptz(3) not null,
  primary key (document_id, revision)
);
comment on table replaced_contents is 'Former contents of drafts, kept as long as an event or a stored response shows them.';
-- Purging by age.
create index replaced_contents_by_age on replaced_contents (replaced_at);

create table document_views (
  organization_id uuid not null,
  -- The feed position at which the viewer first saw the document: immutable, newest is highest.
  position        bigint not null,
  document_id     uuid not null references documents (id),
  side            text not null constraint side_is_known check (side in ('issuer', 'counterparty')),
  number          text not null,
  type            text not null,
  status          text not null,
  connection_id   uuid not null,
  document_date   date not null,
  updated_at      timestamptz(3) not null,
  -- The list without a filter.
  primary key (organization_id, position),
  -- Numbers are unique per organization: a backstop for the counters in organization_counters.
  unique (organization_id, number)
);
comment on table document_views is 'One row per document and viewer. A list page is one index range.';
-- A single filter costs the same at any depth (design: engine 6).
create index document_views_by_status on document_views (organization_id, status, position);
create index document_views_by_type on document_views (organization_id, type, position);
create index document_views_by_connection on document_views (organization_id, connection_id, position);
create index document_views_by_side on document_views (organization_id, side, position);
-- The filter updated_since, and the list in the order of changes (sort=updated).
create index document_views_by_change on document_views (organization_id, updated_at);

create table document_links (
  from_id uuid not null references documents (id),
  to_id   uuid not null references documents (id),
  rel     text not null,
  primary key (from_id, to_id, rel)
);
comment on table document_links is 'References between documents. Referenced documents are locked and loaded together.';
-- The documents that refer to one: its lineage downstream.
create index document_links_by_end on document_links (to_id);

-- Attachments: the record is here, the bytes are in the file store under the attachment's id.

create table attachments (
  id           uuid primary key,
  mode         text not null,
  document_id  uuid not null,
  uploaded_by  uuid not null,
  filename     text not null constraint filename_is_short check (length(filename) between 1 and 255),
  content_type text not null,
  size         bigint not null constraint size_is_not_negative check (size >= 0),
  sha256       bytea not null constraint sha256_has_32_bytes check (length(sha256) = 32),
  created_at   timestamptz(3) not null,
  -- Of the event of the document's history that records it.
  seq          integer not null,
  seal         bytea not null,
  foreign key (document_id, mode) references documents (id, mode),
  foreign key (uploaded_by, mode) references organizations (id, mode)
);
comment on table attachments is 'Files that belong to a document. Both parties see them once it is issued.';
-- The attachments of one document, newest first.
create index attachments_by_document on attachments (document_id, id);

create table pending_files (
  id         uuid primary key,
  created_at timestamptz(3) not null,
  -- The attachment can no longer be committed, and the file is about to be removed.
  abandoned  boolean not null default false
);
comment on table pending_files is 'Files in the store whose attachment is not committed yet. Leftovers are purged.';
