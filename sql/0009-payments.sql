-- Payments, the accounts they move money between, the usage of key limits, and processor
-- references. `mode` and `currency` are part of every key that joins two rows, so a payment that
-- mixes sandbox and live, or two currencies, violates a foreign key. Amounts are minor units.

create table ledger_account (
  id              uuid primary key,
  mode            text not null constraint ledger_mode_is_live_or_test check (mode in ('live', 'test')),
  organization_id uuid,
  currency        text not null,
  -- Organizations have settlement and funding; the service has <rail>:clearing and <rail>:world.
  code            text not null,
  normal          text not null constraint normal_is_a_side check (normal in ('debit', 'credit')),
  status          text not null constraint account_status_is_known
                    check (status in ('active', 'frozen', 'closed')),
  posted          bigint,
  pending_debit   bigint,
  pending_credit  bigint,
  -- How far bank returns have pushed the account below zero. Nothing else may.
  overdraft       bigint,
  version         bigint not null default 0,
  -- The version at the last posting, with which the chain of postings ends; 0 before the first.
  last_posting    bigint not null default 0,
  seal            bytea not null,
  -- The version at the last sandbox reset: transactions up to it are invisible.
  reset_version   bigint not null default 0,
  created_at      timestamptz(3) not null,
  unique (id, mode, currency),
  unique (organization_id, currency, code),
  foreign key (organization_id, mode) references organizations (id, mode),
  -- The balance of a system account is the sum of its entries. A stored balance would be a single
  -- row that every payment of the deployment waits for.
  constraint only_organization_accounts_keep_a_balance check (
    (organization_id is null) = (posted is null) and (organization_id is null) = (pending_debit is null)
    and (organization_id is null) = (pending_credit is null)
    and (organization_id is null) = (overdraft is null)),
  constraint pending_amounts_are_never_negative
    check (pending_debit >= 0 and pending_credit >= 0 and overdraft >= 0),
  constraint available_is_never_below_what_was_returned
    check (posted - pending_debit >= -overdraft)
);
comment on table ledger_account is 'Ledger accounts of organizations and of the rails.';
-- One system account per mode, currency and code.
create unique index ledger_system_accounts on ledger_account (mode, currency, code)
  where organization_id is null;

-- The money each rail holds, and the world beyond it. The ids are derived from the names. They have
-- no seal, since no decision loads them: the service knows their ids, and their balances are sums.
insert into ledger_account (id, mode, currency, code, normal, status, created_at, seal)
select md5(r.mode || ' ' || r.rail || ':' || kind || ' ' || currency)::uuid, r.mode, currency,
       r.rail || ':' || kind, 'debit', 'active', now(), ''
from (values ('test', 'simulator'), ('live', 'stripe')) r (mode, rail),
     unnest(array['clearing', 'world']) kind,
     unnest(array['USD', 'EUR', 'GBP', 'CAD']) currency;

create table payments (
  id                     uuid primary key,
  mode                   text not null,
  kind                   text not null constraint payment_kind_is_known
                           check (kind in ('document_payment', 'refund', 'disbursement', 'repayment', 'sweep')),
  document_id            uuid not null,
  connection_id          uuid not null references connections (id),
  payer_id               uuid not null,
  payee_id               uuid not null,
  -- The payment's position in each party's list: a feed position, so unique, and newest is highest.
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
  -- The magic account, as the caller named it.
  source                 text,
  -- The two ledger transactions: out of the payer's account, and into the payee's.
  out_tx                 uuid,
  in_tx                  uuid,
  scheduled_for          date,
  -- When the payment is next to be advanced, on the payer's clock; null = never.
  due_at                 timestamptz(3),
  attempts               integer not null default 0,
  settlement_reference   text,
  failure_code           text,
  failure_message        text,
  initiated_by           text not null,
  -- The rotation chain whose daily volume the payment reserves, and the day it counts on.
  limit_root             uuid references keys (id),
  limit_day              date,
  -- The version of that day's usage with which the payment was counted.
  limit_version          integer,
  triggered_by_payment_id uuid references payments (id),
  agreement_id           uuid,
  created_at             timestamptz(3) not null,
  processing_at          timestamptz(3),
  settled_at             timestamptz(3),
  failed_at              timestamptz(3),
  returned_at            timestamptz(3),
  updated_at             timestamptz(3) not null,
  seal                   bytea not null,
  unique (id, mode, currency),
  foreign key (document_id, mode) references documents (id, mode),
  foreign key (payer_id, mode) references organizations (id, mode),
  foreign key (payee_id, mode) references organizations (id, mode),
  foreign key (payer_account, mode, currency) references ledger_account (id, mode, currency),
  foreign key (payee_account, mode, currency) references ledger_account (id, mode, currency),
  constraint payer_and_payee_differ check (payer_id <> payee_id),
  constraint a_reservation_has_a_day_and_a_version check (
    (limit_root is null) = (limit_day is null) and (limit_root is null) = (limit_version is null)),
  constraint settled_iff_it_says_when
    check ((settled_at is not null) = (status in ('settled', 'returned'))),
  constraint failed_iff_it_says_why
    check ((failure_code is not null) = (status in ('failed', 'returned'))),
  constraint only_what_moves_has_transactions
    check ((out_tx is null) = (in_tx is null) and (out_tx is null or status <> 'created'))
);
comment on table payments is 'Payments of documents. At most one per document is active at a time.';
-- Enforces one active payment per document.
create unique index payments_one_active_per_document on payments (document_id)
  where status in ('created', 'scheduled', 'processing');
-- The payments of one document.
create index payments_by_document on payments (document_id);
-- Each party's list, newest first.
create unique index payments_of_payer on payments (payer_id, payer_position);
create unique index payments_of_payee on payments (payee_id, payee_position);
-- Each party's list in the order of changes (sort=updated), and its filter updated_since.
create index payments_of_payer_by_change on payments (payer_id, updated_at);
create index payments_of_payee_by_change on payments (payee_id, updated_at);
-- Due payments, by the real clock and by the clocks of sandboxes that are ahead of it.
create index payments_due on payments (due_at) where due_at is not null;
create index payments_due_of_payer on payments (payer_id, due_at) where due_at is not null;
-- The newest reservation of a key and day, which shows that its usage is missing or an old one.
create index payments_by_reservation on payments (limit_root, limit_day, currency, limit_version)
  where limit_root is not null;
-- A payment by its rail's own reference.
create index payments_by_reference on payments (rail, settlement_reference)
  where settlement_reference is not null;

create table limit_usage (
  -- Derived from the next three columns.
  id          uuid primary key,
  root_key_id uuid not null references keys (id),
  currency    text not null,
  day         date not null,
  used        bigint not null constraint usage_is_never_negative check (used >= 0),
  -- Counts the changes.
  version     integer not null,
  seal        bytea not null,
  unique (root_key_id, currency, day)
);
comment on table limit_usage is 'Amounts that the keys of one rotation chain have paid or reserved per day.';

create table processor_accounts (
  organization_id     uuid primary key,
  mode                text not null constraint only_live_money_has_a_processor check (mode = 'live'),
  rail                text not null,
  -- The source of payments: the customer, and its mandated bank account per currency.
  customer_reference  text,
  payment_methods     text not null default '{}',
  -- The destination of payouts.
  payout_reference    text,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  seal                bytea not null,
  foreign key (organization_id, mode) references organizations (id, mode)
);
comment on table processor_accounts is 'Processor references with which a live organization pays and is paid.';

create table rail_events (
  rail        text not null,
  event_id    text not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (rail, event_id)
);
comment on table rail_events is 'Processor events already applied. Each takes effect once.';
