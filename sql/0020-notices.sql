-- Notices by e-mail (docs/decisions/0115), and what the task that looks for them reads.

create table notices (
  id              uuid primary key,
  organization_id uuid not null references organizations (id),
  kind            text not null constraint notice_kind_is_known check (
    kind in (
      'approval_wanted', 'payment_failed', 'endpoint_failing', 'key_expiring',
      'connection_invitation', 'member_invitation', 'sign_in_link'
    )
  ),
  -- The approval, payment, endpoint, key or invitation; for a link, an id of its own.
  subject_id      uuid not null,
  -- A member, or only an address; neither where nobody is told, so that nobody looks again.
  user_id         uuid references users (id),
  email           text constraint noticed_email_is_lower_case check (email = lower(email)),
  -- The token of an invitation or of a link, encrypted until it is sent.
  token_sealed    bytea,
  status          text not null constraint notice_status_is_known check (
    status in ('waiting', 'sent', 'skipped', 'failed')
  ),
  -- Why it was not sent.
  reason          text,
  attempts        integer not null,
  created_at      timestamptz(3) not null,
  -- When the next attempt begins. A worker moves it on before it sends, so another one sends if the
  -- first one dies.
  due_at          timestamptz(3),
  attempted_at    timestamptz(3),
  seal            bytea not null,
  constraint due_iff_waiting check ((due_at is null) = (status <> 'waiting')),
  constraint only_what_waits_has_a_token check (token_sealed is null or status = 'waiting'),
  constraint a_member_has_an_address check (user_id is null or email is not null)
);
comment on table notices is 'The outbox of e-mails, one row for each recipient of a notice.';
-- Everybody is told once, and what was told is not looked for again.
create unique index one_notice_per_recipient
on notices (subject_id, kind, organization_id, email) nulls not distinct;
-- The mails that are due.
create index notices_due on notices (due_at) where due_at is not null;
-- The mails of an organization that wait.
create index notices_waiting on notices (organization_id) where due_at is not null;
-- The limits of the hour.
create index notices_of_organization on notices (organization_id, attempted_at);
create index notices_of_recipient on notices (email, attempted_at);
-- Purging.
create index notices_by_age on notices (created_at);

-- The other indexes are built while writes wait: a migration is one transaction.
-- The approvals that wait for a decision.
-- squawk-ignore require-concurrent-index-creation
create index approvals_undecided on approvals (expires_at) where status = 'pending';
-- The payments that have failed or were returned lately.
-- squawk-ignore require-concurrent-index-creation
create index payments_failed on payments (updated_at) where failure_code is not null;
-- The keys that expire soon.
-- squawk-ignore require-concurrent-index-creation
create index keys_by_expiry on keys (expires_at)
where revoked_at is null and rotated_to_id is null and expires_at is not null;
-- The endpoints that are half way to being disabled (endpointFailuresTold).
-- squawk-ignore require-concurrent-index-creation
create index webhook_endpoints_failing on webhook_endpoints (id) where consecutive_failures >= 10;
