-- What a database knows of the deployment that writes to it: at most one row each.

create table server_key (
  is_only boolean primary key default true constraint there_is_one_server_key check (is_only),
  salt    bytea not null,
  mac     bytea not null,
  at      timestamptz(3) not null default clock_timestamp()
);
comment on table server_key is 'A MAC under the server key in use: a start with another key is refused. Nothing opens with it.';

create table practice (
  is_only              boolean primary key default true constraint there_is_one_practice check (is_only),
  organization_id      uuid not null references organizations (id),
  demo_id              uuid not null references organizations (id),
  connection_id        uuid not null references connections (id),
  live_id              uuid not null references organizations (id),
  live_counterparty_id uuid not null references organizations (id),
  live_connection_id   uuid not null references connections (id),
  -- Host and path of the sandbox.json that holds the keys: nobody else can show them.
  kept_in              text not null,
  at                   timestamptz(3) not null default clock_timestamp()
);
comment on table practice is 'The practice organizations, provisioned once per database.';
