-- An erasure finds the stored responses of a document and of its records without reading all of
-- them. Writes wait while an index is built, some seconds for a million rows. Whoever cannot wait
-- creates them concurrently before, with the same statements.

-- The responses that show a document.
-- squawk-ignore require-concurrent-index-creation
create index if not exists idempotency_of_documents on idempotency (document_id)
where resource_id is null and document_id is not null;
-- The responses that show a comment or an approval.
-- squawk-ignore require-concurrent-index-creation
create index if not exists idempotency_of_resources on idempotency (resource_id)
where resource_id is not null;
