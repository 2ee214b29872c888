-- A file is removed only if the service itself has stored it for a document whose proven history
-- names no such attachment (docs/decisions/0183). Rows of older processes have neither.
alter table pending_files
  add column document_id uuid,
  add column seal bytea not null default '';
comment on column pending_files.document_id is 'The document to which the upload attaches the file.';
