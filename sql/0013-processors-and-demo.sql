-- The payment processors of live organizations, and the scripts of sandbox counterparties.

create table processor_accounts (
  organization_id     uuid primary key,
  mode                text not null constraint only_live_money_has_a_processor check (mode = 'live'),
  rail                text not null,
  -- Where money is taken from: the customer and its mandated bank account, by currency.
  customer_reference  text,
  payment_methods     jsonb not null default '{}',
  -- Where money is paid out to.
  payout_reference    text,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  foreign key (organization_id, mode) references organizations (id, mode)
);
comment on table processor_accounts is 'How a live organization pays and is paid, at its processor.';

create table rail_events (
  rail        text not null,
  event_id    text not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (rail, event_id)
);
comment on table rail_events is 'Events of processors that were applied: each counts once.';

create table demo_scripts (
  document_id uuid primary key references documents (id),
  -- The played organization.
  organization_id uuid not null references organizations (id),
  scenario    text not null,
  -- How many of its steps are done.
  step        integer not null,
  -- The revision its last step left: another one means that somebody else moved the document.
  revision    integer not null,
  -- On the clock of the played organization; null = over.
  due_at      timestamptz(3)
);
comment on table demo_scripts is 'What played organizations are going to do with a document.';
-- What is due.
create index demo_scripts_due on demo_scripts (due_at) where due_at is not null;

-- Offers of a sandbox whose clock is ahead.
create index documents_by_lapse_of_issuer on documents (issuer_id, valid_until)
  where valid_until is not null and status in ('sent', 'acknowledged');

-- A payment by the reference that its rail has for it.
create index payments_by_reference on payments (rail, settlement_reference)
  where settlement_reference is not null;

-- What a sandbox organization has used of its quotas: counted where its writes are serial anyway.
alter table organization_heads add column quotas text not null default '{}';
