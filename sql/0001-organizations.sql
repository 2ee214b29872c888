-- Organizations, the people who act for them, and the actions of operators. `mode` is part of every
-- key that joins two organizations, so a row that mixes sandbox and live violates a foreign key.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

create table organizations (
  id                   uuid primary key,
  mode                 text not null constraint mode_is_live_or_test check (mode in ('live', 'test')),
  name                 text not null constraint name_is_short check (length(name) between 1 and 200),
  -- The organization for which this practice organization was provisioned: both have one owner.
  sandbox_of           uuid references organizations (id),
  -- A demo counterparty: the service plays its side of every document by a script.
  is_demo              boolean not null default false
                         constraint only_a_sandbox_is_played check (not is_demo or mode = 'test'),
  default_currency     text not null default 'USD',
  clock_offset_seconds bigint not null default 0,
  -- The feed position at the last sandbox reset. The organization no longer sees records up to it.
  reset_position       bigint not null default 0,
  reset_at             timestamptz(3),
  verified_at          timestamptz(3),
  suspended_at         timestamptz(3),
  -- Of the present profile (organization_profiles); null without one.
  profile_digest       text,
  created_at           timestamptz(3) not null,
  -- Counts the changes of this row. The organization's counters have the same version, so that an
  -- old row is noticed although its seal holds.
  version              bigint not null default 0,
  -- Counts what takes access away from a key or a member. Rows of active keys and of members have
  -- the same version.
  access_version       bigint not null default 0,
  seal                 bytea not null,
  unique (id, mode),
  constraint only_a_sandbox_has_a_clock_or_an_owner
    check (mode = 'test' or (clock_offset_seconds = 0 and sandbox_of is null)),
  constraint only_a_sandbox_is_reset
    check (mode = 'test' or (reset_position = 0 and reset_at is null))
);
comment on table organizations is 'The parties that call the API. An organization is either live or a sandbox and never changes.';
-- The sandboxes of a live organization (contract 2, sandbox_isolation).
create index organizations_by_owner on organizations (sandbox_of) where sandbox_of is not null;

-- What exports say of an organization. A document keeps the digests of the profiles that its parties
-- had when it was issued (documents.party_profiles).
create table organization_profiles (
  organization_id uuid not null references organizations (id),
  -- SHA-256 of the profile, in hex: a profile that comes back is the same row.
  digest          text not null,
  -- JSON (core/identity/organization-profile.ts).
  profile         text not null,
  created_at      timestamptz(3) not null,
  -- A MAC over the other columns (src/database/row-seals.ts).
  seal            bytea not null,
  primary key (organization_id, digest)
);
comment on table organization_profiles is 'Every profile that an organization has had. Rows never change.';
-- A new server key renews the seal alone.
create trigger organization_profiles_are_append_only
  before update of organization_id, digest, profile, created_at or delete on organization_profiles
  for each row execute function refuse_change();

-- Every write that an organization can see locks this row last, takes feed positions and numbers
-- from it, and holds it until COMMIT. Therefore position order is commit order, numbers have no
-- gaps, and changed_at never runs backwards in commit order.
create table organization_counters (
  organization_id      uuid primary key references organizations (id),
  -- The version of the organization's row.
  organization_version bigint not null default 0,
  -- An update logs what lies between the first and the last column that changes.
  seal                 bytea not null,
  changed_at           timestamptz(3) not null,
  feed                 bigint not null default 0,
  -- The last number of each prefix, as JSON.
  numbers              text not null default '{}',
  -- Quota usage of a sandbox organization, as JSON.
  quotas               text not null default '{}'
) with (fillfactor = 20);
comment on table organization_counters is 'Feed position, document numbers, quota usage, change time and version of one organization.';

create table users (
  id            uuid primary key,
  email         text not null unique constraint email_is_lower_case check (email = lower(email)),
  name          text not null,
  password_hash text,
  created_at    timestamptz(3) not null,
  -- Null when nobody has shown that the address is the user's: set by the operator.
  email_verified_at timestamptz(3),
  -- Counts the changes of the password, and the sign-in links that were used.
  version       bigint not null default 0,
  seal          bytea not null
);
comment on table users is 'People. Passwords are argon2id hashes in PHC form.';

create table memberships (
  user_id         uuid not null references users (id),
  organization_id uuid not null references organizations (id),
  role            text not null constraint role_is_known check (
    role in ('owner', 'admin', 'member', 'developer', 'finance', 'approver', 'viewer')
  ),
  created_at      timestamptz(3) not null,
  -- That of the organization.
  access_version  bigint not null default 0,
  -- That of the user.
  user_version    bigint not null default 0,
  -- Counts the sign-outs of the member. The rows of sessions that go on have the same version.
  session_version bigint not null default 0,
  -- When the member last signed in or switched here; null before.
  last_used_at    timestamptz(3),
  seal            bytea not null,
  primary key (user_id, organization_id)
);
comment on table memberships is 'Which user may act for which organization, and in which role.';
-- The list of members, and those whose rows get a new access version.
create index memberships_by_organization on memberships (organization_id, created_at, user_id);

create table member_invitations (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  email           text not null constraint invited_member_is_lower_case check (email = lower(email)),
  role            text not null constraint invited_role_is_known check (
    role in ('owner', 'admin', 'member', 'developer', 'finance', 'approver', 'viewer')
  ),
  hash            bytea not null unique,
  invited_by      uuid not null references users (id),
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  -- When it was accepted or revoked.
  ended_at        timestamptz(3),
  accepted_by     uuid references users (id),
  -- That of the organization, until the invitation ends.
  access_version  bigint not null,
  seal            bytea not null
);
comment on table member_invitations is 'Invitations of people to be members. Only a MAC of the token is stored.';
-- The list of invitations, newest first.
create index member_invitations_by_organization on member_invitations (organization_id, id);
-- Each person is invited once at a time.
create unique index one_open_invitation_per_person on member_invitations (organization_id, email)
  where ended_at is null;

create table sessions (
  id              uuid primary key,
  user_id         uuid not null,
  organization_id uuid not null,
  mode            text not null,
  hash            bytea not null unique,
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  revoked_at      timestamptz(3),
  client          text not null default 'cli'
                    constraint client_is_known check (client in ('browser', 'cli')),
  -- A browser signs in once and then gets short tokens: the row of each token names the row of the
  -- sign-in, whose hash and refresh_hash are of the two halves of the cookie. The second half
  -- changes with every token.
  sign_in_id      uuid,
  refresh_hash    bytea,
  -- When the user last showed who it is, and when the browser last got a token.
  authenticated_at timestamptz(3) not null,
  refreshed_at    timestamptz(3),
  -- From where the user signed in.
  address         text,
  user_agent      text,
  -- That of the membership, until the session ends.
  session_version bigint not null default 0,
  seal            bytea not null,
  foreign key (user_id, organization_id) references memberships (user_id, organization_id),
  foreign key (organization_id, mode) references organizations (id, mode)
);
comment on table sessions is 'Admin sessions of one user for one organization. Only a MAC of the token is stored.';
-- The sessions that go on when another one of the same member ends.
create index sessions_by_member on sessions (user_id, organization_id) where revoked_at is null;
-- The tokens that end with the sign-in of their browser.
create index sessions_by_sign_in on sessions (sign_in_id) where revoked_at is null;
-- Purging expired sessions.
create index sessions_by_end on sessions (expires_at);

create table sign_in_links (
  hash       bytea primary key,
  user_id    uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3),
  -- That of the user, until the link is used.
  user_version bigint not null,
  seal       bytea not null
);
comment on table sign_in_links is 'One-time sign-in links created by an operator. Only a MAC of the token is stored.';
-- The links of a user that can still be used.
create index sign_in_links_by_user on sign_in_links (user_id) where used_at is null;
-- Purging expired links.
create index sign_in_links_by_end on sign_in_links (expires_at);

create table operator_actions (
  id      bigint generated always as identity primary key,
  at      timestamptz(3) not null default clock_timestamp(),
  command text not null,
  subject text not null,
  detail  jsonb not null default '{}'
);
comment on table operator_actions is 'Actions that operators took with npm run admin. Append only.';
create trigger operator_actions_are_append_only before update or delete on operator_actions
  for each row execute function refuse_change();
