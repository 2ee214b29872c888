-- A document takes a bounded number of references from each side (docs/decisions/0270). Whose issued
-- document a reference is of; null for a draft, and for what was issued before.
alter table document_links add column issued_by uuid;
-- The references to a document that each side has issued.
-- squawk-ignore require-concurrent-index-creation
create index document_links_issued on document_links (to_id, issued_by)
where issued_by is not null;
-- What processors no longer send is purged.
-- squawk-ignore require-concurrent-index-creation
create index rail_events_by_time on rail_events (received_at);
