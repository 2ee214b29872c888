-- Who has made a call, from where, and what it left behind (docs/decisions/0163).

alter table requests
add column user_id uuid,
add column address text,
add column original_request_id uuid,
add column document_id uuid,
add column event_ids text;
comment on column requests.user_id is 'Of a call with a session; null for keys.';
comment on column requests.address is 'From where; null in rows of before.';
comment on column requests.original_request_id
is 'The request that was executed, where its response was replayed.';
comment on column requests.document_id is 'What the call was about, if it was found.';
comment on column requests.event_ids
is 'The events of the organization that the call wrote, as a JSON array of UUIDs; null for none.';
