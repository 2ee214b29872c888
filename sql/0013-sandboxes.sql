-- Practice pairs, the scripts of demo counterparties, and the practice organizations of the first
-- start.

create table sandboxes (
  id                   uuid primary key,
  -- A live organization, or the requesting sandbox itself when it has no live owner.
  owner_id             uuid not null references organizations (id),
  mode                 text not null constraint a_pair_practises check (mode = 'test'),
  organization_id      uuid not null unique,
  demo_organization_id uuid not null unique,
  connection_id        uuid not null references connections (id),
  created_at           timestamptz(3) not null,
  seal                 bytea not null,
  foreign key (organization_id, mode) references organizations (id, mode),
  foreign key (demo_organization_id, mode) references organizations (id, mode)
);
comment on table sandboxes is 'Pairs of practice organizations that were provisioned for an owner.';
-- The list and the count of one owner's sandboxes, newest first.
create index sandboxes_by_owner on sandboxes (owner_id, id);

create table clock_advances (
  organization_id         uuid not null references organizations (id),
  -- How far the clock was ahead of the real time from then on, and before.
  offset_seconds          bigint not null,
  previous_offset_seconds bigint not null,
  -- The real time of the advance, and what the clock showed after it.
  advanced_at             timestamptz(3) not null,
  clock_at                timestamptz(3) not null,
  seal                    bytea not null,
  primary key (organization_id, offset_seconds),
  constraint clocks_only_move_forward check (offset_seconds > previous_offset_seconds)
);
comment on table clock_advances is 'When the clock of a sandbox was advanced, since its last reset.';
-- The real time at which a clock showed a time.
create index clock_advances_by_clock on clock_advances (organization_id, clock_at);

create table demo_scripts (
  document_id uuid primary key references documents (id),
  -- The demo counterparty.
  organization_id uuid not null references organizations (id),
  scenario    text not null,
  -- The number of completed steps.
  step        integer not null,
  -- The document's revision after the last step. Any other means that someone else has moved it.
  revision    integer not null,
  -- By the demo counterparty's clock; null = finished.
  due_at      timestamptz(3),
  seal        bytea not null
);
comment on table demo_scripts is 'The next step of a demo counterparty for each document.';
-- Due steps.
create index demo_scripts_due on demo_scripts (due_at) where due_at is not null;

create table practice (
  is_only              boolean primary key default true constraint there_is_one_practice check (is_only),
  organization_id      uuid not null references organizations (id),
  demo_organization_id uuid not null references organizations (id),
  connection_id        uuid not null references connections (id),
  live_organization_id uuid not null references organizations (id),
  live_counterparty_id uuid not null references organizations (id),
  live_connection_id   uuid not null references connections (id),
  -- Host and path of the sandbox.json, the only place that holds the keys.
  credentials_location text not null,
  at                   timestamptz(3) not null,
  seal                 bytea not null
);
comment on table practice is 'The practice organizations, provisioned once per database.';
