-- Webhook endpoints, their deliveries, and every attempt. These tables are the delivery queue.

create table webhook_endpoints (
  id                          uuid primary key,
  organization_id             uuid not null,
  mode                        text not null,
  url                         text not null,
  -- Subscribed event types; empty = all, including those added later.
  events                      text[] not null default '{}',
  description                 text,
  status                      text not null default 'ACTIVE'
                                constraint endpoint_status_is_known check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason             text,
  -- Terminal failures since the last success.
  consecutive_failures        integer not null default 0,
  last_success_at             timestamptz(3),
  last_failure_at             timestamptz(3),
  -- Encrypted under a key derived from the server key for this endpoint alone.
  secret_sealed               bytea not null,
  previous_secret_sealed      bytea,
  previous_secret_valid_until timestamptz(3),
  created_at                  timestamptz(3) not null,

  -- The feed position up to which deliveries to this endpoint exist.
  cursor                      bigint not null,
  -- The earliest due attempt that no worker holds; null = none.
  next_due_at                 timestamptz(3),
  -- The worker that sends to this endpoint. The lease only saves work: when it is lost or expires,
  -- another worker sends the unrecorded attempts again.
  lease_owner                 uuid,
  lease_until                 timestamptz(3),
  seal                        bytea not null,

  foreign key (organization_id, mode) references organizations (id, mode),
  constraint a_previous_secret_has_an_end
    check ((previous_secret_sealed is null) = (previous_secret_valid_until is null)),
  constraint only_a_disabled_endpoint_has_a_reason
    check (disabled_reason is null or status = 'DISABLED'),
  constraint a_lease_has_an_owner check ((lease_owner is null) = (lease_until is null))
) with (fillfactor = 50);
comment on table webhook_endpoints is 'Where events are delivered, up to which feed position, and by which worker.';
-- The endpoints of one organization, newest first: ids are time-ordered.
create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, id);

-- No foreign keys: the rows of a deleted endpoint remain, unreachable, until they are purged.
create table webhook_delivery (
  -- Derived from endpoint and event (delivery_id_of), so an event has one delivery per endpoint.
  id                   uuid primary key,
  webhook_id           uuid not null,
  organization_id      uuid not null,
  event_id             uuid not null,
  event_type           text not null,
  -- The event's feed position; for a ping, the endpoint's cursor at that time.
  feed                 bigint not null,
  -- The body of a ping. Every other delivery sends the event's payload.
  payload              text,
  status               text not null constraint delivery_status_is_known
                         check (status in ('pending', 'retrying', 'succeeded', 'failed', 'skipped')),
  attempt_count        integer not null default 0,
  -- Attempts made before the current retry schedule, which a redelivery restarts.
  attempts_before      integer not null default 0,
  due_at               timestamptz(3),
  last_response_status integer,
  last_error           text,
  created_at           timestamptz(3) not null,
  finished_at          timestamptz(3),
  constraint due_iff_not_finished check ((due_at is null) = (status not in ('pending', 'retrying'))),
  constraint finished_iff_not_due check ((finished_at is null) = (due_at is not null))
)
-- A partition per week (0015-partitions.sql) of the id, which begins with the time of the event: an
-- id is unique in the whole table and found in one partition, and so are its attempts.
partition by range (id);
comment on table webhook_delivery is 'The delivery of one event to one endpoint, and its status.';
-- Due deliveries of one endpoint, first attempts in commit order.
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at, feed) where due_at is not null;
-- The deliveries list, newest first.
create index webhook_delivery_by_endpoint on webhook_delivery (webhook_id, created_at, feed, id);
-- drop_expired_partitions(): deliveries that are younger than their event, as recovered ones are.
create index webhook_delivery_by_age on webhook_delivery using brin (created_at) with (autosummarize = on);

create table webhook_delivery_default partition of webhook_delivery default with (fillfactor = 80);
comment on table webhook_delivery_default is 'Deliveries of weeks without a partition; the pattern of every partition.';

create table webhook_attempt (
  delivery_id     uuid not null,
  number          integer not null constraint number_starts_at_one check (number >= 1),
  at              timestamptz(3) not null,
  response_status integer,
  duration_ms     integer not null,
  error           text,
  -- The first 4 KiB of the response.
  response_body   text,
  primary key (delivery_id, number)
)
-- In the week of its delivery.
partition by range (delivery_id);
comment on table webhook_attempt is 'The outcome of one delivery attempt.';

create table webhook_attempt_default partition of webhook_attempt default;
comment on table webhook_attempt_default is 'Attempts of weeks without a partition; the pattern of every partition.';

-- A deterministic, time-ordered id (RFC 9562, version 7): the event's time, and 74 bits of a hash
-- of both ids.
create function delivery_id_of(event uuid, endpoint uuid) returns uuid
language sql immutable strict parallel safe as $$
  select (substr(e, 1, 12) || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid
  from (select replace(event::text, '-', '') as e, md5(event::text || endpoint::text) as h) ids
$$;
