-- A sandbox that starts over (docs/decisions/0018): histories and ledgers keep everything, and what
-- was before is out of view.

alter table organizations
  -- The feed position up to which its records were before the last reset: it sees none of them.
  add column reset_position bigint not null default 0,
  add column reset_at timestamptz(3),
  add constraint only_a_sandbox_is_reset
    check (mode = 'test' or (reset_position = 0 and reset_at is null));

-- The version up to which its transactions were before the last reset.
alter table ledger_account add column reset_version bigint not null default 0;
