-- The event feed of each organization, in commit order, as that organization sees it.

create table events (
  organization_id uuid not null,
  feed            bigint not null,
  id              uuid not null,
  document_id     uuid not null,
  -- Gapless per document and receiver, from 1.
  sequence        integer not null,
  type            text not null,
  created_at      timestamptz(3) not null,
  -- The complete envelope of specification 6.2: the exact bytes that webhooks deliver.
  payload         text not null,
  primary key (organization_id, feed)
);
comment on table events is 'Event envelopes, one row per receiving organization.';
-- One event by id, as in GET /v1/events?after=.
create unique index events_by_id on events (organization_id, id);
-- Purging by age.
create index events_by_age on events (created_at);
-- Events live for 30 days: compressing them on every write costs more than the space it saves.
alter table events set (toast_tuple_target = 8160);
