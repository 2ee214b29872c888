-- Connections between two organizations, and the invitations that become connections.

create table connections (
  id                    uuid primary key,
  mode                  text not null,
  a_id                  uuid not null,
  b_id                  uuid not null,
  invited_by            uuid not null,
  status                text not null constraint connection_status_is_known
                          check (status in ('invited', 'active', 'declined', 'ended')),
  default_payment_terms text,
  currency              text not null,
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  seal                  bytea not null,
  unique (id, mode, a_id, b_id),
  foreign key (a_id, mode) references organizations (id, mode),
  foreign key (b_id, mode) references organizations (id, mode),
  constraint the_two_parties_are_ordered check (a_id < b_id),
  constraint a_party_invited check (invited_by in (a_id, b_id))
);
comment on table connections is 'Two organizations that exchange documents.';
-- At most one open connection per pair. Declined and ended connections remain as history.
create unique index one_open_connection_per_pair on connections (a_id, b_id)
  where status in ('invited', 'active');
-- The connections of one organization, newest first: ids are time-ordered.
create index connections_by_a on connections (a_id, id);
create index connections_by_b on connections (b_id, id);

create table connection_invitations (
  -- An accepted invitation becomes the connection with the same id.
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
  seal                  bytea not null,
  foreign key (invited_by, mode) references organizations (id, mode)
);
comment on table connection_invitations is 'Invitations by e-mail. A user signed in with that e-mail may accept or decline them.';
-- At most one open invitation per inviter and e-mail.
create unique index one_open_invitation_per_email on connection_invitations (invited_by, email)
  where status = 'invited';
-- The invitations an organization sent and an e-mail received, newest first.
create index connection_invitations_sent on connection_invitations (invited_by, id);
create index connection_invitations_received on connection_invitations (email, id);
