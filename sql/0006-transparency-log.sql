-- The transparency logs of provenance: one for live, one for the sandbox. An event waits in
-- log_queue, becomes a leaf, and is covered by a checkpoint that the service signs with a key kept
-- outside the database.

create table log_queue (
  id          bigint generated always as identity primary key,
  log_id      text not null constraint log_is_live_or_test check (log_id in ('live', 'test')),
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null
);
comment on table log_queue is 'Event hashes that wait to become leaves of a log.';

create table log_leaf (
  log_id      text not null constraint leaf_log_is_live_or_test check (log_id in ('live', 'test')),
  idx         bigint not null constraint idx_starts_at_zero check (idx >= 0),
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null,
  primary key (log_id, idx),
  unique (document_id, seq)
);
comment on table log_leaf is 'Maps each leaf of a log to its event. Indexes are contiguous from 0.';

create table log_tile (
  log_id text not null,
  level  integer not null,
  n      bigint not null,
  -- Up to 256 hashes of 32 bytes, as C2SP tlog-tiles lays them out.
  data   bytea not null,
  primary key (log_id, level, n)
);
alter table log_tile alter column data set storage external;
comment on table log_tile is 'The Merkle tree of each log, 256 hashes to a row; the last tile of a level grows.';

create table log_checkpoint (
  log_id        text not null,
  size          bigint not null,
  root          bytea not null,
  -- The C2SP checkpoint, exactly as it is served.
  note          text not null,
  as_of         timestamptz(3) not null,
  -- The size of the preceding checkpoint; null for the first. A proof bundle uses the first
  -- checkpoint that covers its head, so a missing row must be detectable.
  previous_size bigint,
  -- HMAC of the note and of the columns that the note does not contain.
  mac           bytea not null,
  primary key (log_id, size)
);
comment on table log_checkpoint is 'Signed checkpoints of the logs.';

create table log_key (
  log_id     text not null,
  vkey       text not null,
  from_size  bigint not null,
  until_size bigint,
  primary key (log_id, vkey)
);
comment on table log_key is 'Public keys of the logs, and the sizes that each one signs. Private keys are never stored here.';

create table log_refused (
  id          bigint primary key,
  log_id      text not null,
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null,
  reason      text not null,
  refused_at  timestamptz(3) not null default clock_timestamp()
);
comment on table log_refused is 'Queued rows that the service did not write: kept for the operator, never made leaves.';

create trigger log_leaf_is_append_only before update or delete on log_leaf
  for each row execute function refuse_change();
create trigger log_checkpoint_is_append_only before update or delete on log_checkpoint
  for each row execute function refuse_change();
