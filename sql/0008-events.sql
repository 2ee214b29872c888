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
  primary key (organization_id, feed)
);
comment on table events is 'Event envelopes, one row per receiving organization.';
-- One event by id, as in GET /v1/events?after=.
create unique index events_by_id on events (organization_id, id);
-- Purging by age.
create index events_by_age on events (created_at);
-- The payload is compressed already.
alter table events alter column payload set storage external;
