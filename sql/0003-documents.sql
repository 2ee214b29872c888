-- One record per document, and one row per viewer from which lists are read.

create table documents (
  id                    uuid primary key,
  mode                  text not null,
  connection_id         uuid not null,
  issuer_id             uuid not null,
  counterparty_id       uuid not null,
  a_id                  uuid not null generated always as (least(issuer_id, counterparty_id)) stored,
  b_id                  uuid not null generated always as (greatest(issuer_id, counterparty_id)) stored,
  type                  text not null,
  status                text not null,
  origin                text not null constraint origin_is_known check (origin in ('api', 'app')),
  revision              integer not null,
  issuer_number         text not null,
  counterparty_number   text,
  currency              text not null,
  document_date         date not null,
  -- Whether the issuer chose the date; if not, issuing stamps it anew.
  document_date_given   boolean not null,
  -- Which half of the payment terms is the anchor when the document date moves.
  terms_form            text not null constraint terms_form_is_known check (terms_form in ('text', 'date', 'none')),
  due_date              date,
  valid_until           date,
  -- Minor units.
  total                 bigint not null,
  amount_paid           bigint not null default 0,
  amount_credited       bigint not null default 0,
  -- JSON text that both viewers read alike, spliced into answers and never re-serialized.
  content               text not null,
  -- Issuer only.
  metadata              text not null default '{}',
  dispute               text,
  -- How many events each receiver has had of this document (webhook `sequence`).
  issuer_events         integer not null default 0,
  counterparty_events   integer not null default 0,
  -- Where the document stands in each viewer's list (document_views.created).
  issuer_position       bigint not null,
  counterparty_position bigint,
  -- Provenance: the blinded stream and the head of its hash chain.
  stream_salt           bytea not null,
  head_seq              integer not null,
  head_hash             bytea not null,
  integrity_hold        boolean not null default false,
  issued_at             timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (id, mode),
  foreign key (connection_id, mode, a_id, b_id) references connections (id, mode, a_id, b_id),
  constraint issuer_and_counterparty_differ check (issuer_id <> counterparty_id),
  constraint balance_is_never_negative
    check (total >= 0 and amount_paid >= 0 and amount_credited >= 0
           and amount_paid + amount_credited <= total),
  constraint the_counterparty_has_a_number_iff_issued
    check ((issued_at is null) = (counterparty_number is null))
);
comment on table documents is 'The shared record of one document (specification 2.1).';

create table document_views (
  organization_id uuid not null,
  -- The feed position at which the viewer first saw the document: immutable, newest is highest.
  created         bigint not null,
  document_id     uuid not null references documents (id),
  side            text not null constraint side_is_known check (side in ('issuer', 'counterparty')),
  number          text not null,
  type            text not null,
  status          text not null,
  connection_id   uuid not null,
  document_date   date not null,
  updated_at      timestamptz(3) not null,
  -- The list without a filter.
  primary key (organization_id, created),
  -- Numbers are unique per organization: the last line behind the head row's counters.
  unique (organization_id, number)
);
comment on table document_views is 'One row per document and viewer: lists are one index range of it.';
-- One filter alone costs the same at any depth (design: engine 6).
create index document_views_by_status on document_views (organization_id, status, created);
create index document_views_by_type on document_views (organization_id, type, created);
create index document_views_by_connection on document_views (organization_id, connection_id, created);
create index document_views_by_side on document_views (organization_id, side, created);
-- updated_since.
create index document_views_by_change on document_views (organization_id, updated_at);
