-- The numbers of imported files, so that a second import of one says so (docs/decisions/0153).

create table document_imports (
  document_id   uuid primary key references documents (id),
  issuer_id     uuid not null,
  connection_id uuid not null,
  type          text not null,
  -- What the seller calls it (BT-1).
  number        text not null
);
comment on table document_imports is 'Drafts that were made of files which have a number.';
-- The imports of one number on a connection, newest first.
create index document_imports_by_number
  on document_imports (issuer_id, connection_id, type, number, document_id);
