-- The tamper-evident history of every document. Rows are written in the transaction of the change
-- they record; the stored text is exactly the text that was hashed.

create table prov_event (
  document_id       uuid not null,
  seq               integer not null constraint seq_starts_at_one check (seq >= 1),
  header            text not null,
  hash              bytea not null,
  mac               bytea not null,
  shared_body       text,
  shared_salt       bytea,
  issuer_body       text,
  issuer_salt       bytea,
  counterparty_body text,
  counterparty_salt bytea,
  primary key (document_id, seq)
);
comment on table prov_event is 'One event of one document: header, hash, MAC and three salted slots.';

create table log_queue (
  id          bigint generated always as identity primary key,
  log_id      text not null constraint log_is_live_or_test check (log_id in ('live', 'test')),
  document_id uuid not null,
  seq         integer not null,
  hash        bytea not null
);
comment on table log_queue is 'Event hashes that wait for the Merkle log.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

create trigger prov_event_is_append_only before update or delete on prov_event
  for each row execute function refuse_change();
create trigger prov_event_is_never_truncated before truncate on prov_event
  for each statement execute function refuse_change();
create trigger operator_actions_are_append_only before update or delete on operator_actions
  for each row execute function refuse_change();
