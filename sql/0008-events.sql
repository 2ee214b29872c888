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
  -- The document's revision, by which its content is found (replaced_contents).
  revision        integer not null,
  -- The envelope of specification 6.2, of which every byte is kept, in the form of
  -- src/core/compact-text.ts: without the document's content, and compressed.
  payload         bytea not null,
  seal            bytea not null,
  -- One event by id, as in GET /v1/events?after=.
  primary key (organization_id, id)
)
-- A partition per week (0015-partitions.sql) of the id, which begins with the time of the write:
-- whoever has an id, a delivery too, finds the event in one partition.
partition by range (id);
comment on table events is 'Event envelopes, one row per receiving organization.';
-- The payload is compressed already.
alter table events alter column payload set storage external;

create table events_default partition of events default;
comment on table events_default is 'Events of weeks without a partition; the pattern of every partition.';
-- The feed. A unique index of the whole table would need the id as well, so each partition has its
-- own. Between partitions, the counter from which a write takes positions keeps them unique: its row
-- stays locked until COMMIT.
create unique index events_default_by_feed on events_default (organization_id, feed);
