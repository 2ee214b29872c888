-- Kept answers of writes (specification 4.2). A row is written in the transaction of the effect it
-- answers for: there is no moment in which one exists without the other.

create table idempotency (
  -- HMAC of organization and Idempotency-Key: the raw key is what opens a sealed answer.
  key_mac         bytea primary key,
  organization_id uuid not null,
  fingerprint     bytea not null,
  status          integer not null,
  body            bytea not null,
  sealed          boolean not null,
  resource_id     text,
  etag            text,
  location        text,
  request_id      uuid not null,
  created_at      timestamptz(3) not null
);
comment on table idempotency is 'Answers that a repeated Idempotency-Key replays byte for byte.';
-- Purging after 24 hours.
create index idempotency_by_age on idempotency (created_at);
