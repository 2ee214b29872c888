-- What people keep beside the documents, and what they did (contract 12).

create table document_comments (
  id              uuid primary key,
  document_id     uuid not null references documents (id),
  -- Only this side of the document sees the comment.
  organization_id uuid not null references organizations (id),
  user_id         uuid references users (id),
  key_id          uuid references keys (id),
  text            text not null,
  created_at      timestamptz(3) not null,
  seal            bytea not null,
  constraint somebody_wrote_it check ((user_id is null) <> (key_id is null))
);
comment on table document_comments is 'Comments on a document, for the people of one side.';
-- The list, newest first.
create index document_comments_by_document
on document_comments (document_id, organization_id, id);

create table saved_views (
  id              uuid primary key,
  user_id         uuid not null references users (id),
  organization_id uuid not null references organizations (id),
  name            text not null,
  -- The list that it shows, and its filters as the query of an address.
  list            text not null,
  query           text not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  seal            bytea not null
);
comment on table saved_views is 'Filters that a person has named.';
-- The list, newest first.
create index saved_views_by_person on saved_views (user_id, organization_id, id);

create table user_preferences (
  user_id     uuid primary key references users (id),
  -- What the person has chosen; JSON.
  preferences text not null,
  updated_at  timestamptz(3) not null,
  seal        bytea not null
);
comment on table user_preferences is 'How a person wants the console.';

create table audit_entries (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  -- Without a gap, from 1, so that a deleted entry is missed.
  seq             bigint not null,
  user_id         uuid not null references users (id),
  operation       text not null,
  path            text not null,
  resource_id     text,
  request_id      uuid not null,
  address         text not null,
  created_at      timestamptz(3) not null,
  seal            bytea not null,
  constraint one_entry_per_seq unique (organization_id, seq)
);
comment on table audit_entries is 'What people did, stored in the transaction that did it. Append only.';
-- A new server key seals the rows anew.
create trigger audit_entries_are_append_only before delete or update of
  id, organization_id, seq, user_id, operation, path, resource_id, request_id, address, created_at
  on audit_entries for each row execute function refuse_change();

create table audit_trails (
  organization_id uuid primary key references organizations (id),
  -- The seq of the newest entry.
  entries         bigint not null,
  seal            bytea not null
);
comment on table audit_trails is 'How many audit entries an organization has.';
