-- An attempt that is under way while the document of its event is erased is recorded afterwards:
-- its response may echo what was erased, and is not kept.
alter table webhook_delivery add column is_erased boolean not null default false;
