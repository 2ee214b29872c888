-- Stored responses of writes (specification 4.2). A response commits together with the effect it
-- reports: neither exists without the other.

create table idempotency (
  -- HMAC of organization and Idempotency-Key: the raw key decrypts a sealed response.
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
comment on table idempotency is 'Responses that a repeated Idempotency-Key replays byte for byte.';
-- Purging after 24 hours.
create index idempotency_by_age on idempotency (created_at);
-- Responses live for a day: compressing them on every write costs more than the space it saves.
alter table idempotency set (toast_tuple_target = 8160);
