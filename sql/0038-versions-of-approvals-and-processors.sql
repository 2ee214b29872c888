-- What notices an old row with its old seal, as in migration 0027 (docs/decisions/0178). Each
-- column is a later column of its table (src/database/row-seals.ts).

alter table processor_accounts add column version bigint;
comment on column processor_accounts.version
is 'That of the organization for this table; null is 0.';

alter table approvals add column version bigint;
comment on column approvals.version
is 'While it is pending or approved: that of the organization for this table; null is 0.';
