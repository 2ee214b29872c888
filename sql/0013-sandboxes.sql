-- Practice pairs, the scripts of played organizations, and the practice organizations of the first
-- start.

create table sandboxes (
  id                   uuid primary key,
  -- A live organization; or the sandbox itself that asked, when it has no live owner.
  owner_id             uuid not null references organizations (id),
  mode                 text not null constraint a_pair_practises check (mode = 'test'),
  organization_id      uuid not null unique,
  demo_organization_id uuid not null unique,
  connection_id        uuid not null references connections (id),
  created_at           timestamptz(3) not null,
  foreign key (organization_id, mode) references organizations (id, mode),
  foreign key (demo_organization_id, mode) references organizations (id, mode)
);
comment on table sandboxes is 'Pairs of practice organizations that were provisioned for an owner.';
-- The sandboxes of one owner, newest first, and how many there are.
create index sandboxes_by_owner on sandboxes (owner_id, id);

create table demo_scripts (
  document_id uuid primary key references documents (id),
  -- The played organization.
  organization_id uuid not null references organizations (id),
  scenario    text not null,
  -- How many of its steps are done.
  step        integer not null,
  -- The revision its last step left: another one means that somebody else moved the document.
  revision    integer not null,
  -- On the clock of the played organization; null = over.
  due_at      timestamptz(3)
);
comment on table demo_scripts is 'What played organizations are going to do with a document.';
-- What is due.
create index demo_scripts_due on demo_scripts (due_at) where due_at is not null;

create table practice (
  is_only              boolean primary key default true constraint there_is_one_practice check (is_only),
  organization_id      uuid not null references organizations (id),
  demo_organization_id uuid not null references organizations (id),
  connection_id        uuid not null references connections (id),
  live_organization_id uuid not null references organizations (id),
  live_counterparty_id uuid not null references organizations (id),
  live_connection_id   uuid not null references connections (id),
  -- Host and path of the sandbox.json that holds the keys: nobody else can show them.
  credentials_location text not null,
  at                   timestamptz(3) not null default clock_timestamp()
);
comment on table practice is 'The practice organizations, provisioned once per database.';
