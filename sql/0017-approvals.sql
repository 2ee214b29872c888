-- Approvals (contract 12): writes that wait until a person has consented to exactly them.

create table approvals (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  -- A name for the organization and the Idempotency-Key of the write that waits.
  request_key     uuid not null,
  request_id      uuid not null,
  -- Who asked: a key with the root of its rotation chain, or a user.
  key_id          uuid references keys (id),
  key_root_id     uuid,
  user_id         uuid references users (id),
  -- What was asked for, in the canonical form of RFC 8785, and its SHA-256.
  statement       text not null,
  digest          text not null,
  summary         text not null,
  -- Who has to consent, and who has consented or declined; JSON.
  requirements    text not null,
  decisions       text not null default '[]',
  status          text not null constraint status_is_known check (
    status in ('pending', 'approved', 'declined', 'stale', 'executed')
  ),
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  -- When it was declined, executed or found to be stale.
  ended_at        timestamptz(3),
  seal            bytea not null,
  constraint somebody_asked check ((key_id is null) <> (user_id is null)),
  constraint a_key_has_a_root check ((key_id is null) = (key_root_id is null)),
  constraint ended_iff_it_says_so
    check ((ended_at is null) = (status in ('pending', 'approved')))
);
comment on table approvals is 'Writes that need the consent of a person, and what became of them.';
-- The write that is sent again. An Idempotency-Key asks once.
create unique index approvals_by_request on approvals (request_key);
-- The list, newest first.
create index approvals_by_organization on approvals (organization_id, id);
-- The list of one key, newest first.
create index approvals_by_key on approvals (key_root_id, id) where key_root_id is not null;
-- How many an organization has asked for in a day.
create index approvals_of_the_day on approvals (organization_id, expires_at);
-- Purging.
create index approvals_by_expiry on approvals (expires_at);

create table approval_rule_sets (
  organization_id uuid primary key references organizations (id),
  -- All rules of the organization with their conditions, the oldest first; JSON.
  rules           text not null,
  updated_at      timestamptz(3) not null,
  seal            bytea not null
);
comment on table approval_rule_sets is 'Which writes of an organization need whose consent.';
-- To whom a rule belongs that is not found.
create index approval_rule_sets_by_rule
on approval_rule_sets using gin ((rules::jsonb) jsonb_path_ops);
