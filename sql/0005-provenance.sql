-- The tamper-evident history of every document. Rows are written in the transaction of the change
-- they record. What was hashed is rebuilt exactly: the header by src/core/provenance/history-event.ts
-- from the row, the stream and the event before it, the bodies by src/core/compact-text.ts.

create table prov_event (
  document_id       uuid not null,
  at                timestamptz(3) not null,
  seq               integer not null constraint seq_starts_at_one check (seq >= 1),
  -- Of shared, issuer, counterparty and finance: 4 bytes each, which name a slot that was changed.
  -- Once a body of the document was erased, all 32 bytes of each, which nothing leads to any more.
  commitments       bytea not null,
  -- Of the header.
  hash              bytea not null,
  mac               bytea not null,
  -- The seed of the four salts, 16 bytes. Once a body of the document was erased: the salts
  -- themselves, 64 bytes, with zeros in the place of each one that is erased.
  salts             bytea not null,
  -- Null: empty, or erased with its salt.
  shared_body       bytea,
  issuer_body       bytea,
  counterparty_body bytea,
  -- Follows from the other bodies and is null, until an erasure deletes what it follows from.
  finance_body      bytea,
  primary key (document_id, seq)
);
comment on table prov_event is 'One event of one document: parts of its header, hash, MAC and four salted slots.';
-- The bodies are compressed already.
alter table prov_event
  alter column shared_body set storage external,
  alter column issuer_body set storage external,
  alter column counterparty_body set storage external,
  alter column finance_body set storage external;

-- Erasure deletes bodies and their salts for good. Nothing else in an event may change.
create function refuse_all_but_erasure() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (new.document_id, new.at, new.seq, new.hash, new.mac)
      = (old.document_id, old.at, old.seq, old.hash, old.mac)
    and (length(new.salts), length(new.commitments)) = (64, 128)
    and (new.shared_body is null or new.shared_body = old.shared_body)
    and (new.issuer_body is null or new.issuer_body = old.issuer_body)
    and (new.counterparty_body is null or new.counterparty_body = old.counterparty_body)
    and (length(old.salts) = 16
      or (new.commitments, coalesce(new.finance_body, '')) = (old.commitments, coalesce(old.finance_body, '')))
  then
    return new;
  end if;
  raise exception 'prov_event is append only' using errcode = 'integrity_constraint_violation';
end $$;
create trigger prov_event_is_append_only before update or delete on prov_event
  for each row execute function refuse_all_but_erasure();
create trigger prov_event_is_never_truncated before truncate on prov_event
  for each statement execute function refuse_change();

create table head_note (
  document_id uuid not null,
  seq         integer not null,
  note        text not null,
  primary key (document_id, seq)
);
comment on table head_note is 'Signed statements, one per head: at a checkpoint, this event was the last of its document.';
create trigger head_note_is_append_only before update or delete on head_note
  for each row execute function refuse_change();
