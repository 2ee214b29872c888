-- Connections that are asked for, answered and ended over HTTP.

-- An ended or declined connection stays as it was; the next invitation of the pair is a new one.
alter table connections drop constraint connections_a_id_b_id_key;
-- The open connection of a pair.
create unique index one_open_connection_per_pair on connections (a_id, b_id)
  where status in ('invited', 'active');
drop index connections_by_b;
-- The connections of one organization, newest first: ids are time-ordered.
create index connections_by_a on connections (a_id, id);
create index connections_by_b on connections (b_id, id);

create table connection_invitations (
  -- Accepted, it becomes the connection of the same id.
  id                    uuid primary key,
  mode                  text not null,
  invited_by            uuid not null,
  email                 text not null constraint invited_email_is_lower_case check (email = lower(email)),
  status                text not null constraint invitation_status_is_known
                          check (status in ('invited', 'accepted', 'declined', 'ended')),
  default_payment_terms text,
  currency              text not null,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  foreign key (invited_by, mode) references organizations (id, mode)
);
comment on table connection_invitations is 'Invitations by e-mail: who signs in with it may answer for an organization of the same mode.';
-- The open invitation of an e-mail by one inviter.
create unique index one_open_invitation_per_email on connection_invitations (invited_by, email)
  where status = 'invited';
-- The lists of both sides, newest first.
create index connection_invitations_sent on connection_invitations (invited_by, id);
create index connection_invitations_received on connection_invitations (email, id);

-- Attachments: the record here, the bytes in the file store under the attachment's id.

create table attachments (
  id           uuid primary key,
  mode         text not null,
  document_id  uuid not null,
  uploaded_by  uuid not null,
  filename     text not null constraint filename_is_short check (length(filename) between 1 and 255),
  content_type text not null,
  size         bigint not null constraint size_is_not_negative check (size >= 0),
  sha256       bytea not null constraint sha256_has_32_bytes check (length(sha256) = 32),
  created_at   timestamptz(3) not null,
  foreign key (document_id, mode) references documents (id, mode),
  foreign key (uploaded_by, mode) references organizations (id, mode)
);
comment on table attachments is 'Files that belong to a document. Both parties see them once it is issued.';
-- The attachments of one document, newest first.
create index attachments_by_document on attachments (document_id, id);

create table pending_files (
  id         uuid primary key,
  created_at timestamptz(3) not null,
  -- Given up: its attachment can no longer be made, and the file is about to be removed.
  abandoned  boolean not null default false
);
comment on table pending_files is 'Files in the store whose attachment is not committed. What stays is purged.';

-- The calls of the last 30 days, as admins read them: no bodies, no query strings.

create table requests (
  organization_id uuid not null,
  -- The Request-Id. It begins with the time of the call, which is kept nowhere else.
  id              uuid not null,
  method          text not null,
  path            text not null,
  status          integer not null,
  -- Null: a session.
  key_id          uuid,
  duration_ms     integer not null,
  idempotency_key text,
  -- The list, newest first.
  primary key (organization_id, id)
);
comment on table requests is 'Answered calls. Written in batches off the request path; a few may be missing.';
-- Purging by age.
create index requests_by_age on requests (id);

-- Purging what has ended.
create index sessions_by_end on sessions (expires_at);
create index sign_in_links_by_end on sign_in_links (expires_at);

-- Practice pairs, and whose they are.

create table sandboxes (
  id                   uuid primary key,
  -- A live organization; or the sandbox itself that asked, when it has no live owner.
  owner_id             uuid not null references organizations (id),
  mode                 text not null constraint a_pair_practises check (mode = 'test'),
  organization_id      uuid not null unique,
  demo_organization_id uuid not null unique,
  connection_id        uuid not null references connections (id),
  created_at           timestamptz(3) not null,
  foreign key (organization_id, mode) references organizations (id, mode),
  foreign key (demo_organization_id, mode) references organizations (id, mode)
);
comment on table sandboxes is 'Pairs of practice organizations that were provisioned for an owner.';
-- The sandboxes of one owner, newest first, and how many there are.
create index sandboxes_by_owner on sandboxes (owner_id, id);
