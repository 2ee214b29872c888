-- Passkeys of people (WebAuthn, docs/decisions/0121).

create table passkeys (
  id                uuid primary key,
  user_id           uuid not null references users (id),
  -- How the authenticator names it, and the key that its answers are checked with (COSE).
  credential_id     text not null unique,
  public_key        bytea not null,
  -- How often it says it was used; always 0 where it does not count.
  counter           bigint not null,
  transports        text[] not null,
  name              text not null,
  created_at        timestamptz(3) not null,
  last_used_at      timestamptz(3),
  -- When the newest challenge was made that it has answered: no answer to it or to an earlier one
  -- works again.
  last_challenge_at timestamptz(3),
  -- That of the user.
  user_version      bigint not null,
  seal              bytea not null
);
comment on table passkeys is 'Passkeys of people. A user with one has a second factor.';
-- The passkeys of a user.
create index passkeys_by_user on passkeys (user_id);

alter table second_factors add column passkeys integer;
comment on column second_factors.passkeys
is 'How many passkeys the user has; null without one. A later column: src/database/row-seals.ts.';
comment on column second_factors.secret_sealed
is 'The secret that the codes follow from, encrypted for this user; empty for a user who only has passkeys.';
