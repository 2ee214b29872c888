-- What notices an old row with its old seal (docs/decisions/0144). Each column is a later column of
-- its table (src/database/row-seals.ts).

alter table organizations add column row_versions text;
comment on column organizations.row_versions
is 'By table, how often a row of the organization was changed or ended, as JSON; null before the first time.';

alter table connections add column version bigint;
comment on column connections.version
is 'While it is invited or active: the sum of the versions of connections of both organizations; null is 0.';

alter table approval_rule_sets add column version bigint;
comment on column approval_rule_sets.version is 'That of the organization for this table; null is 0.';

alter table finance_setups add column version bigint;
comment on column finance_setups.version is 'That of the organization for this table; null is 0.';

alter table webhook_endpoints add column version bigint;
comment on column webhook_endpoints.version is 'That of the organization for this table; null is 0.';

alter table finance_listings add column open_offers text;
comment on column finance_listings.open_offers
is 'The ids of its open offers, sorted, as JSON; null in a listing of before.';
