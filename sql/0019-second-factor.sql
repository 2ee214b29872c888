-- The second factor of people: codes by time, and recovery codes (console 2.5).

alter table users add column second_factor_since timestamptz(3);
comment on column users.second_factor_since
is 'Since when the second factor is asked for; null without one. A later column: src/database/row-seals.ts.';

create table second_factors (
  user_id         uuid primary key references users (id),
  -- The secret that the codes follow from, encrypted for this user.
  secret_sealed   bytea not null,
  -- MACs of the recovery codes that are left, keyed by the secret.
  recovery_macs   text[] not null,
  -- The time step of the newest code that was used: no code of it or of an earlier one works again.
  last_step       bigint not null,
  -- How many wrong codes came in a row, and when the last one did.
  wrong_codes     integer not null,
  wrong_code_at   timestamptz(3),
  created_at      timestamptz(3) not null,
  -- That of the user.
  user_version    bigint not null,
  seal            bytea not null
);
comment on table second_factors is 'Secrets of second factors. One is asked for since users.second_factor_since, and not before.';
