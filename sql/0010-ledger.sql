-- The entries of the double-entry ledger: every transaction debits one account and credits another.

create table ledger_tx (
  id              uuid primary key,
  mode            text not null,
  currency        text not null,
  kind            text not null constraint transaction_kind_is_known check (kind in
                    ('payment_out', 'payment_in', 'sweep_out', 'sweep_in', 'return', 'topup', 'withdrawal')),
  payment_id      uuid,
  -- The organization's account, if any. The other side is always a system account.
  account_id      uuid,
  -- Positive into that account, negative out of it.
  amount          bigint not null constraint a_transaction_moves_something check (amount <> 0),
  status          text not null constraint transaction_status_is_known
                    check (status in ('pending', 'posted', 'voided')),
  reverses        uuid unique references ledger_tx (id),
  -- The account's versions when the transaction was opened and posted, and the balance once posted.
  opened_version  bigint,
  posted_version  bigint,
  running_balance bigint,
  -- The posted_version of the account's posting before this one: a missing posting breaks the chain.
  previous_posting bigint,
  effective_at    timestamptz(3) not null,
  created_at      timestamptz(3) not null,
  resolved_at     timestamptz(3),
  seal            bytea not null,
  unique (id, mode, currency),
  unique (account_id, opened_version),
  unique (account_id, posted_version),
  foreign key (account_id, mode, currency) references ledger_account (id, mode, currency),
  foreign key (payment_id, mode, currency) references payments (id, mode, currency),
  constraint pending_until_resolved check ((status = 'pending') = (resolved_at is null)),
  constraint posted_iff_it_has_a_balance check (
    account_id is null or (status = 'posted') = (running_balance is not null and posted_version is not null))
);
comment on table ledger_tx is 'Ledger transactions: pending, then posted or voided. A posted one is only ever reversed.';
-- The transactions of a payment.
create index ledger_tx_by_payment on ledger_tx (payment_id);
-- The list of an account, those under way first, and a balance as of a moment: the last transaction
-- posted before it, and those pending at the time.
create index ledger_tx_by_resolution on ledger_tx (account_id, coalesce(resolved_at, 'infinity'),
  coalesce(posted_version, 9223372036854775807), id);

create table ledger_entry (
  tx_id      uuid not null,
  account_id uuid not null,
  mode       text not null,
  currency   text not null,
  side       text not null constraint side_is_debit_or_credit check (side in ('debit', 'credit')),
  amount     bigint not null constraint entry_amount_is_positive check (amount > 0),
  primary key (tx_id, account_id, side),
  foreign key (tx_id, mode, currency) references ledger_tx (id, mode, currency),
  foreign key (account_id, mode, currency) references ledger_account (id, mode, currency)
);
comment on table ledger_entry is 'Debits and credits. Append only, balanced per transaction.';
-- The entries of one account.
create index ledger_entry_by_account on ledger_entry (account_id);

create trigger ledger_entry_is_append_only before update or delete on ledger_entry
  for each row execute function refuse_change();
create trigger ledger_entry_is_never_truncated before truncate on ledger_entry
  for each statement execute function refuse_change();
create trigger ledger_tx_is_never_deleted before delete on ledger_tx
  for each row execute function refuse_change();

-- All entries of a transaction arrive in one statement, so every statement must balance.
create function refuse_imbalance() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by tx_id
             having sum(case side when 'debit' then amount else -amount end) <> 0) then
    raise exception 'debits and credits of a transaction differ'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger ledger_entry_is_balanced after insert on ledger_entry
  referencing new table as added for each statement execute function refuse_imbalance();

-- A transaction is resolved once: only a pending one may become posted or voided.
create function refuse_second_resolution() returns trigger language plpgsql as $$
begin
  -- A new server key seals every row again.
  if to_jsonb(new) - 'seal' = to_jsonb(old) - 'seal' then
    return new;
  end if;
  if old.status <> 'pending' or new.status = 'pending' or old.id <> new.id or old.amount <> new.amount
     or old.account_id is distinct from new.account_id
     or old.payment_id is distinct from new.payment_id then
    raise exception 'a transaction is resolved once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger ledger_tx_is_resolved_once before update on ledger_tx
  for each row execute function refuse_second_resolution();
