-- Payments and the double-entry ledger behind them. `mode` and `currency` travel in every key that
-- joins two rows: a transaction that mixes sandbox and live, or two currencies, is a foreign-key
-- error. Amounts are minor units.

-- Which organizations are played by the service: their side of a document follows a script.
alter table organizations add column is_demo boolean not null default false
  constraint only_a_sandbox_is_played check (not is_demo or mode = 'test');

-- The latest payment of a document, as its row stands: what both projections show of it.
alter table documents add column payment text;

create table ledger_account (
  id              uuid primary key,
  mode            text not null constraint ledger_mode_is_live_or_test check (mode in ('live', 'test')),
  organization_id uuid,
  currency        text not null,
  -- settlement and funding of an organization; <rail>:clearing and <rail>:world of the service.
  code            text not null,
  normal          text not null constraint normal_is_a_side check (normal in ('debit', 'credit')),
  status          text not null constraint account_status_is_known
                    check (status in ('active', 'frozen', 'closed')),
  posted          bigint,
  pending_debit   bigint,
  pending_credit  bigint,
  -- How far bank returns have pushed it below zero: nothing else may.
  overdraft       bigint,
  version         bigint not null default 0,
  created_at      timestamptz(3) not null,
  unique (id, mode, currency),
  unique (organization_id, currency, code),
  foreign key (organization_id, mode) references organizations (id, mode),
  -- The balance of a system account is the sum of its entries: a stored one would be one row that
  -- every payment of the deployment waits for.
  constraint only_organization_accounts_keep_a_balance check (
    (organization_id is null) = (posted is null) and (organization_id is null) = (pending_debit is null)
    and (organization_id is null) = (pending_credit is null)
    and (organization_id is null) = (overdraft is null)),
  constraint pending_amounts_are_never_negative
    check (pending_debit >= 0 and pending_credit >= 0 and overdraft >= 0),
  constraint available_is_never_below_what_was_returned
    check (posted - pending_debit >= -overdraft)
);
comment on table ledger_account is 'Accounts of the ledger: those of organizations, and those of the rails.';
-- One account of a kind per rail and currency.
create unique index ledger_system_accounts on ledger_account (mode, currency, code)
  where organization_id is null;

create table payments (
  id                     uuid primary key,
  mode                   text not null,
  kind                   text not null constraint payment_kind_is_known
                           check (kind in ('document_payment', 'refund', 'disbursement', 'repayment', 'sweep')),
  document_id            uuid not null,
  connection_id          uuid not null references connections (id),
  payer_id               uuid not null,
  payee_id               uuid not null,
  -- Where it stands in each party's list: a feed position, so newest is highest and none is shared.
  payer_position         bigint not null,
  payee_position         bigint not null,
  status                 text not null constraint payment_status_is_known check (status in
                           ('created', 'scheduled', 'processing', 'settled', 'failed', 'cancelled', 'returned')),
  amount                 bigint not null constraint payment_amount_is_positive check (amount > 0),
  currency               text not null,
  method                 text not null,
  rail                   text not null,
  -- Null: the money comes from outside (a magic account of the sandbox, a bank).
  payer_account          uuid,
  payee_account          uuid not null,
  -- The magic account, as it was named.
  source                 text,
  -- The two transactions that move it: out of the payer's account, into the payee's.
  out_tx                 uuid,
  in_tx                  uuid,
  scheduled_for          date,
  -- When something is to be done about it next, on the payer's clock; null = nothing.
  due_at                 timestamptz(3),
  attempts               integer not null default 0,
  settlement_reference   text,
  failure_code           text,
  failure_message        text,
  initiated_by           text not null,
  -- What the initiating key reserved of its daily volume, and for which day.
  limit_root             uuid references keys (id),
  limit_day              date,
  triggered_by_payment_id uuid references payments (id),
  agreement_id           uuid,
  created_at             timestamptz(3) not null,
  processing_at          timestamptz(3),
  settled_at             timestamptz(3),
  failed_at              timestamptz(3),
  returned_at            timestamptz(3),
  updated_at             timestamptz(3) not null,
  unique (id, mode, currency),
  foreign key (document_id, mode) references documents (id, mode),
  foreign key (payer_id, mode) references organizations (id, mode),
  foreign key (payee_id, mode) references organizations (id, mode),
  foreign key (payer_account, mode, currency) references ledger_account (id, mode, currency),
  foreign key (payee_account, mode, currency) references ledger_account (id, mode, currency),
  constraint payer_and_payee_differ check (payer_id <> payee_id),
  constraint a_reservation_has_a_day check ((limit_root is null) = (limit_day is null)),
  constraint settled_iff_it_says_when
    check ((settled_at is not null) = (status in ('settled', 'returned'))),
  constraint failed_iff_it_says_why
    check ((failure_code is not null) = (status in ('failed', 'returned'))),
  constraint only_what_moves_has_transactions
    check ((out_tx is null) = (in_tx is null) and (out_tx is null or status <> 'created'))
);
comment on table payments is 'Payments of documents: at most one at a time is under way per document.';
-- The rule itself, whatever the code does.
create unique index payments_one_active_per_document on payments (document_id)
  where status in ('created', 'scheduled', 'processing');
-- The payments of one document.
create index payments_by_document on payments (document_id);
-- Each party's list, newest first.
create unique index payments_of_payer on payments (payer_id, payer_position);
create unique index payments_of_payee on payments (payee_id, payee_position);
-- What is due, on the real clock and on the clocks of sandboxes that are ahead of it.
create index payments_due on payments (due_at) where due_at is not null;
create index payments_due_of_payer on payments (payer_id, due_at) where due_at is not null;

create table ledger_tx (
  id              uuid primary key,
  mode            text not null,
  currency        text not null,
  kind            text not null constraint transaction_kind_is_known check (kind in
                    ('payment_out', 'payment_in', 'sweep_out', 'sweep_in', 'return', 'topup', 'withdrawal')),
  payment_id      uuid,
  -- The account of an organization that it moves: one at most, the other end is the service's own.
  account_id      uuid,
  -- Into that account, or out of it when negative.
  amount          bigint not null constraint a_transaction_moves_something check (amount <> 0),
  status          text not null constraint transaction_status_is_known
                    check (status in ('pending', 'posted', 'voided')),
  reverses        uuid unique references ledger_tx (id),
  -- The account's version when it was opened and when it was posted, and the balance then.
  opened_version  bigint,
  posted_version  bigint,
  running_balance bigint,
  effective_at    timestamptz(3) not null,
  created_at      timestamptz(3) not null,
  resolved_at     timestamptz(3),
  unique (id, mode, currency),
  unique (account_id, opened_version),
  unique (account_id, posted_version),
  foreign key (account_id, mode, currency) references ledger_account (id, mode, currency),
  foreign key (payment_id, mode, currency) references payments (id, mode, currency),
  constraint pending_until_resolved check ((status = 'pending') = (resolved_at is null)),
  constraint posted_iff_it_has_a_balance check (
    account_id is null or (status = 'posted') = (running_balance is not null and posted_version is not null))
);
comment on table ledger_tx is 'Transactions: pending, then posted or voided; never taken back, only reversed.';
-- The transactions of a payment.
create index ledger_tx_by_payment on ledger_tx (payment_id);
-- A balance as of then: the last posted before, and what was pending at that time.
create index ledger_tx_by_resolution on ledger_tx (account_id, resolved_at, posted_version);

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
comment on table ledger_entry is 'Debits and credits: append only, balanced per transaction.';
-- The entries of one account.
create index ledger_entry_by_account on ledger_entry (account_id);

create trigger ledger_entry_is_append_only before update or delete on ledger_entry
  for each row execute function refuse_change();
create trigger ledger_entry_is_never_truncated before truncate on ledger_entry
  for each statement execute function refuse_change();
create trigger ledger_tx_is_never_deleted before delete on ledger_tx
  for each row execute function refuse_change();

-- All entries of a transaction come in one statement, so that each statement is balanced in itself.
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

-- What was decided stays: only a pending transaction is resolved, and only once.
create function refuse_second_resolution() returns trigger language plpgsql as $$
begin
  if old.status <> 'pending' or new.status = 'pending' or old.id <> new.id or old.amount <> new.amount
     or old.account_id is distinct from new.account_id
     or old.payment_id is distinct from new.payment_id then
    raise exception 'a transaction is resolved once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger ledger_tx_is_resolved_once before update on ledger_tx
  for each row execute function refuse_second_resolution();

create table limit_usage (
  -- Made of the three that follow: one row for each.
  id          uuid primary key,
  root_key_id uuid not null references keys (id),
  currency    text not null,
  day         date not null,
  used        bigint not null constraint usage_is_never_negative check (used >= 0),
  unique (root_key_id, currency, day)
);
comment on table limit_usage is 'What the keys of one rotation chain have paid or reserved per day.';

-- What the rails themselves hold, and the outside world beyond them. Ids follow from the name.
insert into ledger_account (id, mode, currency, code, normal, status, created_at)
select md5(r.mode || ' ' || r.rail || ':' || kind || ' ' || currency)::uuid, r.mode, currency,
       r.rail || ':' || kind, 'debit', 'active', now()
from (values ('test', 'simulator'), ('live', 'stripe')) r (mode, rail),
     unnest(array['clearing', 'world']) kind,
     unnest(array['USD', 'EUR', 'GBP', 'CAD']) currency;

-- Organizations that were there before the ledger.
insert into ledger_account (id, mode, organization_id, currency, code, normal, status, posted,
                            pending_debit, pending_credit, overdraft, created_at)
select gen_random_uuid(), mode, id, currency, code, 'credit', 'active', 0, 0, 0, 0, now()
from organizations, unnest(array['USD', 'EUR', 'GBP', 'CAD']) currency,
     unnest(array['settlement', 'funding']) code;
