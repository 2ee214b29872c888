-- Direct loans between verified members (domain 5): who lends and borrows, listings of invoices,
-- offers of lenders, agreements, and the pledges that secure them. Amounts are minor units. `mode`
-- is part of every key that joins two rows, so nothing mixes sandbox and live.

create table finance_setups (
  organization_id    uuid primary key,
  mode               text not null,
  borrower_enabled   boolean not null,
  settlement_account uuid references ledger_account (id),
  lender_enabled     boolean not null,
  funding_account    uuid references ledger_account (id),
  max_principal      bigint constraint max_principal_is_positive check (max_principal > 0),
  updated_at         timestamptz(3) not null,
  seal               bytea not null,
  foreign key (organization_id, mode) references organizations (id, mode),
  constraint an_enabled_role_has_an_account check (
    (not borrower_enabled or settlement_account is not null)
    and (not lender_enabled or funding_account is not null))
);
comment on table finance_setups is 'Whether an organization borrows or lends, and with which accounts (domain 5.2).';

create table finance_listings (
  id               uuid primary key,
  mode             text not null,
  borrower_id      uuid not null,
  -- Whoever owes the invoice.
  debtor_id        uuid not null,
  document_id      uuid not null,
  status           text not null constraint listing_status_is_known
                     check (status in ('open', 'matched', 'withdrawn', 'expired', 'invalidated')),
  currency         text not null,
  principal        bigint not null constraint listed_principal_is_positive check (principal > 0),
  fee_type         text not null constraint listed_fee_type_is_known check (fee_type in ('flat', 'bps')),
  -- Minor units, or basis points.
  fee_value        bigint not null constraint listed_fee_is_not_negative check (fee_value >= 0),
  grace_days       integer not null,
  due_date         date not null,
  -- Whether the debtor will be told of the assignment.
  notice           text not null constraint notice_is_known check (notice in ('disclosed', 'undisclosed')),
  -- What makes another invoice a twin of this one (domain 5.6).
  fingerprint      text not null,
  reference        text not null,
  invoice_total    bigint not null,
  invoice_date     date not null,
  -- The part of the invoice that lenders see: currency, balance, due date and status, as JSON.
  collateral       text not null,
  sandbox_scenario text,
  expires_at       timestamptz(3) not null,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  seal             bytea not null,
  unique (id, mode),
  foreign key (document_id, mode) references documents (id, mode),
  foreign key (borrower_id, mode) references organizations (id, mode),
  foreign key (debtor_id, mode) references organizations (id, mode)
);
comment on table finance_listings is 'Invoices against which their issuers ask for a loan.';
-- One open listing per invoice: a backstop for the lock on the document.
create unique index finance_one_open_listing_per_document on finance_listings (document_id)
  where status = 'open';
-- The listings of a borrower, newest first: ids are time-ordered.
create index finance_listings_of_borrower on finance_listings (borrower_id, id);
-- The same, with the filter status.
create index finance_listings_by_status on finance_listings (borrower_id, status, id);
-- The filter updated_since.
create index finance_listings_by_change on finance_listings (borrower_id, updated_at);
-- Near twins among the open and matched listings of one issuer and debtor, by reference.
create index finance_listings_by_reference on finance_listings
  (borrower_id, debtor_id, currency, reference) where status in ('open', 'matched');
-- The same by total and date.
create index finance_listings_by_total on finance_listings
  (borrower_id, debtor_id, currency, invoice_total, invoice_date)
  where status in ('open', 'matched');
-- Whether an invoice was pledged, though the row of the pledge is gone.
create index finance_listings_by_fingerprint on finance_listings (fingerprint)
  where status = 'matched';
-- Listings that expire, by the real clock and by the clocks of sandboxes that are ahead of it.
create index finance_listings_by_expiry on finance_listings (expires_at) where status = 'open';
-- The same for the sandbox whose clock has moved.
create index finance_listings_by_expiry_of_borrower on finance_listings (borrower_id, expires_at)
  where status = 'open';

create table finance_offers (
  id            uuid primary key,
  mode          text not null,
  listing_id    uuid not null,
  connection_id uuid not null references connections (id),
  borrower_id   uuid not null,
  lender_id     uuid not null,
  document_id   uuid not null,
  kind          text not null constraint offer_kind_is_known check (kind in ('at_ask', 'counter')),
  status        text not null constraint offer_status_is_known check (status in
                  ('open', 'accepted', 'declined', 'withdrawn', 'superseded', 'expired', 'lapsed')),
  currency      text not null,
  principal     bigint not null constraint offered_principal_is_positive check (principal > 0),
  fee_type      text not null constraint offered_fee_type_is_known check (fee_type in ('flat', 'bps')),
  fee_value     bigint not null constraint offered_fee_is_not_negative check (fee_value >= 0),
  grace_days    integer not null,
  due_date      date not null,
  -- The standing authorization, in its canonical form, and the SHA-256 of those bytes in hex.
  authorization_text   text not null,
  authorization_digest text not null,
  expires_at    timestamptz(3) not null,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  seal          bytea not null,
  unique (id, mode),
  foreign key (listing_id, mode) references finance_listings (id, mode),
  foreign key (borrower_id, mode) references organizations (id, mode),
  foreign key (lender_id, mode) references organizations (id, mode)
);
comment on table finance_offers is 'Offers of lenders for a listing. An offer never changes but for its status.';
-- One open offer per lender and listing; also the open offers that lapse with their listing.
create unique index finance_one_open_offer_per_lender on finance_offers (listing_id, lender_id)
  where status = 'open';
-- The offers of one listing.
create index finance_offers_of_listing on finance_offers (listing_id, id);
-- Each party's list, newest first.
create index finance_offers_of_borrower on finance_offers (borrower_id, id);
create index finance_offers_of_lender on finance_offers (lender_id, id);
create index finance_offers_of_borrower_by_status on finance_offers (borrower_id, status, id);
create index finance_offers_of_lender_by_status on finance_offers (lender_id, status, id);
-- The filter updated_since.
create index finance_offers_of_borrower_by_change on finance_offers (borrower_id, updated_at);
create index finance_offers_of_lender_by_change on finance_offers (lender_id, updated_at);
-- Offers that expire.
create index finance_offers_by_expiry on finance_offers (expires_at) where status = 'open';
-- The same for the sandbox whose clock has moved.
create index finance_offers_by_expiry_of_lender on finance_offers (lender_id, expires_at)
  where status = 'open';

create table finance_agreements (
  id                    uuid primary key,
  mode                  text not null,
  offer_id              uuid not null,
  listing_id            uuid not null,
  connection_id         uuid not null references connections (id),
  borrower_id           uuid not null,
  lender_id             uuid not null,
  debtor_id             uuid not null,
  -- The pledged invoice, and the three documents of the loan.
  invoice_id            uuid not null,
  agreement_document    uuid not null,
  disbursement_document uuid not null,
  repayment_document    uuid not null,
  currency              text not null,
  principal             bigint not null,
  fee_type              text not null,
  fee_value             bigint not null,
  grace_days            integer not null,
  due_date              date not null,
  notice                text not null,
  settlement_account    uuid not null references ledger_account (id),
  funding_account       uuid not null references ledger_account (id),
  authorization_digest  text not null,
  accepted_at           timestamptz(3) not null,
  funding_deadline      timestamptz(3) not null,
  -- From here on, what changes.
  status                text not null constraint agreement_status_is_known
                          check (status in ('accepted', 'funded', 'flagged', 'repaid', 'closed')),
  -- Whether the lender's money has arrived and has not been returned.
  is_funded             boolean not null,
  amount_owed           bigint not null constraint owed_is_not_negative check (amount_owed >= 0),
  amount_repaid         bigint not null constraint repaid_is_not_negative check (amount_repaid >= 0),
  -- What the lender sees of the invoice, as JSON.
  collateral            text not null,
  -- Every flag that was raised: its code, since when, and when it was cured, as JSON.
  flags                 text not null,
  -- The last payment of the invoice of which the proceeds were swept, or would have been.
  trigger_payment_id    uuid references payments (id),
  closed_reason         text constraint closed_reason_is_known
                          check (closed_reason in ('repaid', 'withdrawn', 'collateral_settled')),
  -- The next deadline, and the organization by whose clock it passes.
  due_at                timestamptz(3),
  due_by                uuid,
  funded_at             timestamptz(3),
  repaid_at             timestamptz(3),
  closed_at             timestamptz(3),
  updated_at            timestamptz(3) not null,
  seal                  bytea not null,
  unique (id, mode),
  unique (offer_id),
  foreign key (offer_id, mode) references finance_offers (id, mode),
  foreign key (invoice_id, mode) references documents (id, mode),
  foreign key (agreement_document, mode) references documents (id, mode),
  foreign key (disbursement_document, mode) references documents (id, mode),
  foreign key (repayment_document, mode) references documents (id, mode),
  foreign key (borrower_id, mode) references organizations (id, mode),
  foreign key (lender_id, mode) references organizations (id, mode),
  foreign key (debtor_id, mode) references organizations (id, mode),
  constraint nobody_lends_to_himself check (borrower_id <> lender_id),
  constraint only_sandbox_money_comes_from_the_debtor check (mode = 'test' or lender_id <> debtor_id),
  constraint closed_iff_it_says_why check ((closed_at is null) = (closed_reason is null))
);
comment on table finance_agreements is 'Loans that were agreed. The documents of a loan say what is owed and paid.';
-- Each party's list, newest first.
create index finance_agreements_of_borrower on finance_agreements (borrower_id, id);
create index finance_agreements_of_lender on finance_agreements (lender_id, id);
create index finance_agreements_of_borrower_by_status on finance_agreements (borrower_id, status, id);
create index finance_agreements_of_lender_by_status on finance_agreements (lender_id, status, id);
-- The filter updated_since.
create index finance_agreements_of_borrower_by_change on finance_agreements (borrower_id, updated_at);
create index finance_agreements_of_lender_by_change on finance_agreements (lender_id, updated_at);
-- Deadlines, by the real clock and by the clocks of sandboxes that are ahead of it.
create index finance_agreements_due on finance_agreements (due_at) where due_at is not null;
-- The same for the sandbox whose clock has moved.
create index finance_agreements_due_of_organization on finance_agreements (due_by, due_at)
  where due_at is not null;
-- Whether an account is bound to an open agreement.
create index finance_agreements_open_of_borrower on finance_agreements (borrower_id)
  where closed_at is null;
-- The same for the lender.
create index finance_agreements_open_of_lender on finance_agreements (lender_id)
  where closed_at is null;

create table finance_pledges (
  id           uuid primary key,
  mode         text not null,
  agreement_id uuid not null,
  borrower_id  uuid not null,
  document_id  uuid not null,
  -- That of the invoice, or of one that it replaces.
  fingerprint  text not null,
  is_own       boolean not null,
  is_active    boolean not null,
  recorded_at  timestamptz(3) not null,
  released_at  timestamptz(3),
  seal         bytea not null,
  foreign key (agreement_id, mode) references finance_agreements (id, mode),
  foreign key (document_id, mode) references documents (id, mode),
  constraint released_iff_not_active check (is_active = (released_at is null))
);
comment on table finance_pledges is 'The fingerprints of pledged invoices. No two active pledges have one in common.';
-- Nothing is pledged twice, whatever the document is called now.
create unique index finance_one_active_pledge_per_fingerprint on finance_pledges (mode, fingerprint)
  where is_active;
-- Nor is the document itself.
create unique index finance_one_active_pledge_per_document on finance_pledges (document_id)
  where is_active and is_own;
-- The pledge of one agreement.
create index finance_pledges_of_agreement on finance_pledges (agreement_id);
-- The active pledges of a sandbox that is reset.
create index finance_pledges_of_borrower on finance_pledges (borrower_id) where is_active;

create table demo_loans (
  listing_id      uuid primary key references finance_listings (id),
  -- The demo counterparty, which lends against the listing, or borrows by it.
  organization_id uuid not null references organizations (id),
  scenario        text not null,
  -- The number of completed steps.
  step            integer not null,
  -- By the demo counterparty's clock; null = it waits for the other side, or has finished.
  due_at          timestamptz(3),
  seal            bytea not null
);
comment on table demo_loans is 'The next step of a demo counterparty for each listing.';
-- Due steps.
create index demo_loans_due on demo_loans (due_at) where due_at is not null;
-- The same for the sandbox whose clock has moved, and those that a reset ends.
create index demo_loans_due_of_organization on demo_loans (organization_id, due_at)
  where due_at is not null;
