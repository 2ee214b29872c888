-- API keys (specification 2.3, 5). Only a MAC of a key is stored, under a key
-- that the database never sees.

create table keys (
  id              uuid primary key,
  organization_id uuid not null,
  mode            text not null,
  name            text not null,
  hash            bytea not null unique,
  prefix          text not null,
  scopes          text[] not null,
  allowed_cidrs   text[] not null default '{}',
  -- Minor units, per currency; null = no limit.
  max_per_payment bigint,
  daily_volume    bigint,
  -- A person approves each payment, or those beyond these amounts per day: minor units by currency,
  -- as JSON.
  requires_approval boolean not null default false,
  requires_approval_above text,
  -- The Ed25519 public key with which writes are signed; null = unsigned writes.
  signing_key     bytea,
  -- The first key of the rotation chain. Limits count against it, so rotation cannot double them.
  root_id         uuid not null,
  rotated_from_id uuid references keys (id),
  rotated_to_id   uuid references keys (id),
  expires_at      timestamptz(3),
  revoked_at      timestamptz(3),
  last_used_at    timestamptz(3),
  created_by      uuid not null references users (id),
  created_at      timestamptz(3) not null,
  -- That of the organization, as long as the key is active.
  access_version  bigint not null default 0,
  seal            bytea not null,
  foreign key (organization_id, mode) references organizations (id, mode),
  constraint prefix_follows_the_mode
    check (prefix like case mode when 'live' then 'rk\_live\_%' else 'rk\_test\_%' end),
  constraint signing_key_is_whole check (length(signing_key) = 32),
  constraint limits_are_positive check (max_per_payment > 0 and daily_volume > 0)
);
comment on table keys is 'API keys of an organization.';
-- The key list, newest first: ids are time-ordered.
create index keys_by_organization on keys (organization_id, id);
-- The count of active keys, whatever was revoked before.
create index keys_by_organization_unrevoked on keys (organization_id)
  where revoked_at is null and rotated_to_id is null;
