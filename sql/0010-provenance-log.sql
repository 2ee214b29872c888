-- The logs of provenance: one for live, one for the sandbox. An event waits in log_queue, becomes a
-- leaf, and is covered by a checkpoint that the service signs with a key outside of the database.

create table log_leaf (
  log_id      text not null constraint leaf_log_is_live_or_test check (log_id in ('live', 'test')),
  idx         bigint not null constraint idx_starts_at_zero check (idx >= 0),
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null,
  primary key (log_id, idx),
  unique (document_id, seq)
);
comment on table log_leaf is 'Which event is which leaf of its log: contiguous from 0.';

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
  log_id text not null,
  size   bigint not null,
  root   bytea not null,
  -- The C2SP checkpoint, exactly as it is served.
  note   text not null,
  as_of  timestamptz(3) not null,
  -- HMAC of the note and as_of, which the note does not hold.
  mac    bytea not null,
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
comment on table log_key is 'Public keys of the logs, and the sizes at which each signs; the private ones are elsewhere.';

create table head_note (
  document_id uuid not null,
  seq         integer not null,
  note        text not null,
  primary key (document_id, seq)
);
comment on table head_note is 'Signed once per head: at that checkpoint the document ended with this event.';

create table log_refused (
  id          bigint primary key,
  log_id      text not null,
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null,
  reason      text not null,
  refused_at  timestamptz(3) not null default clock_timestamp()
);
comment on table log_refused is 'Rows of log_queue that the service did not write: kept for the operator, never logged.';

-- What came of a document: its lineage in the other direction.
create index document_links_by_end on document_links (to_id);

create table log_audit (
  name        text primary key,
  position    text not null,
  finished_at timestamptz(3)
);
comment on table log_audit is 'How far the rolling auditor has come, and when it last came round.';

create trigger log_leaf_is_append_only before update or delete on log_leaf
  for each row execute function refuse_change();
create trigger log_checkpoint_is_append_only before update or delete on log_checkpoint
  for each row execute function refuse_change();
create trigger head_note_is_append_only before update or delete on head_note
  for each row execute function refuse_change();

-- Counters and positions that no event tells of are bound to the head by a MAC.
alter table documents add column guard bytea;

-- Erasure takes body and salt of a slot away, both and for good; nothing else of an event changes.
create function refuse_all_but_erasure() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (new.document_id, new.seq, new.header, new.hash, new.mac)
      = (old.document_id, old.seq, old.header, old.hash, old.mac)
    and (coalesce(new.shared_body, new.shared_salt::text) is null
      or (new.shared_body, new.shared_salt) is not distinct from (old.shared_body, old.shared_salt))
    and (coalesce(new.issuer_body, new.issuer_salt::text) is null
      or (new.issuer_body, new.issuer_salt) is not distinct from (old.issuer_body, old.issuer_salt))
    and (coalesce(new.counterparty_body, new.counterparty_salt::text) is null
      or (new.counterparty_body, new.counterparty_salt)
        is not distinct from (old.counterparty_body, old.counterparty_salt))
  then
    return new;
  end if;
  raise exception 'prov_event is append only' using errcode = 'integrity_constraint_violation';
end $$;
drop trigger prov_event_is_append_only on prov_event;
create trigger prov_event_is_append_only before update or delete on prov_event
  for each row execute function refuse_all_but_erasure();
