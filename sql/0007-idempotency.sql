-- Stored responses of writes (specification 4.2). A response commits together with the effect it
-- reports: neither exists without the other.

create table idempotency (
  -- HMAC of organization and Idempotency-Key: the raw key decrypts an encrypted response.
  key_mac         bytea primary key,
  organization_id uuid not null,
  fingerprint     bytea not null,
  status          integer not null,
  -- Encrypted, or in the form of src/core/compact-text.ts.
  body            bytea not null,
  is_encrypted    boolean not null,
  -- The document that the write created or changed, and its revision: by it the content that the
  -- body shows is found, and the event that the header Svc-Event names.
  document_id     uuid,
  revision        integer,
  -- The record that the write created or changed, if that is not the document itself.
  resource_id     text,
  etag            text,
  location        text,
  request_id      uuid not null,
  created_at      timestamptz(3) not null,
  seal            bytea not null,
  constraint a_changed_document_has_a_revision check ((document_id is null) = (revision is null))
);
comment on table idempotency is 'Responses that a repeated Idempotency-Key replays byte for byte.';
-- Purging after 24 hours.
create index idempotency_by_age on idempotency (created_at);
-- The body is compressed already, or encrypted.
alter table idempotency alter column body set storage external;
