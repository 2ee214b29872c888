-- Sign-in links that people ask for (console 2.3).

create table link_requests (
  id           uuid primary key,
  email        text not null,
  -- Of the caller.
  network      text not null,
  -- Of the secret that the browser keeps: the link works there alone.
  browser_hash bytea not null,
  created_at   timestamptz(3) not null,
  -- When the link was made, or it was found that there is no such user.
  answered_at  timestamptz(3)
);
comment on table link_requests is 'Who has lately asked for a sign-in link, be it a user or not.';
-- What waits for an answer, oldest first.
create index link_requests_waiting on link_requests (id) where answered_at is null;
-- The limits of the hour.
create index link_requests_of_network on link_requests (network, created_at);
create index link_requests_of_email on link_requests (email, created_at);
-- Purging.
create index link_requests_by_age on link_requests (created_at);

comment on table sign_in_links
is 'One-time sign-in links. Only a MAC of the token is stored; if somebody asked for the link, of it and the secret of the browser.';

-- Identities at providers (docs/decisions/0122).
create table user_identities (
  id           uuid primary key,
  user_id      uuid not null references users (id),
  -- Who the provider is, and who the user is there: the provider never gives it to anybody else.
  issuer       text not null,
  subject      text not null,
  -- The address that the provider named when the identity was connected; shown to the user.
  email        text,
  created_at   timestamptz(3) not null,
  -- That of the user.
  user_version bigint not null,
  seal         bytea not null,
  constraint one_user_per_identity unique (issuer, subject),
  constraint one_identity_per_provider unique (user_id, issuer)
);
comment on table user_identities is 'Who users are at identity providers.';

create table oidc_attempts (
  hash       bytea primary key,
  expires_at timestamptz(3) not null
);
comment on table oidc_attempts is 'Sign-ins elsewhere that browsers have begun: a MAC of each.';
-- Purging.
create index oidc_attempts_by_end on oidc_attempts (expires_at);
