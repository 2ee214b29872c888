-- Organizations, the people who act for them, and the connections between them.
-- `mode` travels in every key that joins two organizations: a row that crosses
-- sandbox and live is a foreign-key error, not a bug waiting for a reader.

create table organizations (
  id                   uuid primary key,
  mode                 text not null constraint mode_is_live_or_test check (mode in ('live', 'test')),
  name                 text not null constraint name_is_short check (length(name) between 1 and 200),
  -- A practice organization and the organization it was provisioned for have one owner.
  sandbox_of           uuid references organizations (id),
  default_currency     text not null default 'USD',
  clock_offset_seconds bigint not null default 0,
  verified_at          timestamptz(3),
  suspended_at         timestamptz(3),
  created_at           timestamptz(3) not null,
  unique (id, mode),
  constraint only_a_sandbox_has_a_clock_or_an_owner
    check (mode = 'test' or (clock_offset_seconds = 0 and sandbox_of is null))
);
comment on table organizations is 'The calling parties. One organization is either live or a sandbox, for ever.';
-- The sandboxes of a live organization (contract 2, sandbox_isolation).
create index organizations_by_owner on organizations (sandbox_of) where sandbox_of is not null;

-- One head per organization. Every write that an organization can see locks its head last, takes
-- feed positions and numbers from it and holds it to commit: so position order is commit order,
-- numbers are gapless, and changed_at never runs backwards in commit order.
create table organization_heads (
  organization_id uuid primary key references organizations (id),
  changed_at      timestamptz(3) not null,
  feed            bigint not null default 0,
  numbers         jsonb not null default '{}'
) with (fillfactor = 20);
comment on table organization_heads is 'Feed position, number counters and change time of one organization.';

create table connections (
  id                    uuid primary key,
  mode                  text not null,
  a_id                  uuid not null,
  b_id                  uuid not null,
  invited_by            uuid not null,
  status                text not null constraint connection_status_is_known
                          check (status in ('invited', 'active', 'declined', 'ended')),
  default_payment_terms text,
  currency              text not null,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (a_id, b_id),
  unique (id, mode, a_id, b_id),
  foreign key (a_id, mode) references organizations (id, mode),
  foreign key (b_id, mode) references organizations (id, mode),
  constraint the_two_parties_are_ordered check (a_id < b_id),
  constraint a_party_invited check (invited_by in (a_id, b_id))
);
comment on table connections is 'Two organizations that exchange documents.';
-- The connections of one organization: the unique index serves a_id, this one b_id.
create index connections_by_b on connections (b_id);

create table users (
  id            uuid primary key,
  email         text not null unique constraint email_is_lower_case check (email = lower(email)),
  name          text not null,
  password_hash text,
  created_at    timestamptz(3) not null
);
comment on table users is 'People. Passwords are argon2id hashes in PHC form.';

create table memberships (
  user_id         uuid not null references users (id),
  organization_id uuid not null references organizations (id),
  role            text not null constraint role_is_known check (role in ('owner', 'admin', 'member')),
  created_at      timestamptz(3) not null,
  primary key (user_id, organization_id)
);
comment on table memberships is 'Who may act for which organization.';

create table sessions (
  id              uuid primary key,
  user_id         uuid not null,
  organization_id uuid not null,
  mode            text not null,
  hash            bytea not null unique,
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  revoked_at      timestamptz(3),
  foreign key (user_id, organization_id) references memberships (user_id, organization_id),
  foreign key (organization_id, mode) references organizations (id, mode)
);
comment on table sessions is 'Admin sessions of one user for one organization. Only the SHA-256 of the token is kept.';

create table sign_in_links (
  hash       bytea primary key,
  user_id    uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3)
);
comment on table sign_in_links is 'One-time sign-in links made by an operator. Only the SHA-256 of the token is kept.';

create table operator_actions (
  id      bigint generated always as identity primary key,
  at      timestamptz(3) not null default clock_timestamp(),
  command text not null,
  subject text not null,
  detail  jsonb not null default '{}'
);
comment on table operator_actions is 'What operators did with npm run admin: append only.';
