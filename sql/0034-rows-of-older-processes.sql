-- The list rows that a process of an older version wrote without the columns of migration 0031, while
-- it ran beside a newer one (tasks/fill-list-rows.ts). It is empty otherwise.
-- squawk-ignore require-concurrent-index-creation
create index document_views_unfilled on document_views (document_id) where currency is null;
