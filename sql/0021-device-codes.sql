-- Sign-in of programs that a person approves in a browser (RFC 8628, docs/decisions/0120).

create table device_codes (
  -- MACs of the code that the program keeps, and of the one that the person types.
  hash             bytea primary key,
  user_hash        bytea not null unique,
  status           text not null constraint device_code_status_is_known check (
    status in ('pending', 'claimed', 'approved', 'denied')
  ),
  -- Which program asks, as the person sees it, and the network that its codes are counted for.
  address          text not null,
  network          text not null,
  user_agent       text,
  created_at       timestamptz(3) not null,
  expires_at       timestamptz(3) not null,
  -- How long the program waits between two polls, and when it last polled.
  interval_seconds integer not null,
  polled_at        timestamptz(3),
  -- Who has claimed the code, in which sign-in: only that one decides.
  user_id          uuid references users (id),
  sign_in_id       uuid,
  -- What was approved: for which organization, and when the person had last shown who they are.
  organization_id  uuid references organizations (id),
  authenticated_at timestamptz(3),
  -- That of the user when it was approved.
  user_version     bigint,
  seal             bytea not null,
  constraint claimed_by_a_sign_in check (
    (status = 'pending') = (user_id is null) and (user_id is null) = (sign_in_id is null)
  ),
  constraint approved_for_an_organization check (
    (status = 'approved') = (organization_id is not null)
    and (status = 'approved') = (authenticated_at is not null)
    and (status = 'approved') = (user_version is not null)
  )
);
comment on table device_codes is 'Programs that wait for a person to approve their sign-in. A code that was used is deleted.';
-- How many codes a network has.
create index device_codes_by_network on device_codes (network);
-- The approved codes of a user whose version changes.
create index device_codes_by_user on device_codes (user_id) where user_id is not null;
-- How many codes there are, and purging.
create index device_codes_by_end on device_codes (expires_at);
