-- Failed sign-ins, and how long the next attempt waits (docs/decisions/0175).

create table sign_in_failures (
  -- A MAC of what is counted together: an account on a network, an account, a network, or a block.
  hash          bytea primary key,
  -- When the last failure is forgotten; how many count follows from it, since each takes as long.
  forgotten_at  timestamptz(3) not null,
  -- Until then attempts are refused.
  refused_until timestamptz(3),
  -- Of an account on a network: it has signed in from there.
  known_until   timestamptz(3)
);
comment on table sign_in_failures is 'Failed sign-ins that count, be it of a user or not.';
-- Purging.
create index sign_in_failures_by_end on sign_in_failures (greatest(forgotten_at, known_until));
