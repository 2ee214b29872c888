-- Three indexes are narrower or gone, since each event, transaction and entry is written into all of
-- those of its table (docs/decisions/0281). Writes wait while the first is built, some seconds for a
-- few million events: an id begins with its time, so they are nearly in order.

-- By id first: new events are at the end, where pages fill up. What is asked by organization goes
-- by its feed.
-- squawk-ignore adding-serial-primary-key-field, disallowed-unique-constraint, constraint-missing-not-valid
alter table events drop constraint events_pkey, add primary key (id, organization_id);

-- Few transactions reverse another one.
alter table ledger_tx drop constraint ledger_tx_reverses_key;
-- squawk-ignore require-concurrent-index-creation
create unique index ledger_tx_by_reversed on ledger_tx (reverses) where reverses is not null;

-- Entries are read with their transaction. Nothing reads those of an account.
-- squawk-ignore require-concurrent-index-deletion
drop index ledger_entry_by_account;
