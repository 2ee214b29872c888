-- The server keys, the starts of the service, and the request log.

create table server_keys (
  -- Read in every transaction that writes: the newest one that seals. There are a few rows at most.
  generation  integer primary key,
  salt        bytea not null,
  mac         bytea not null,
  at          timestamptz(3) not null default clock_timestamp(),
  -- Null while the generation is only announced.
  seals_since timestamptz(3),
  -- When a process said that it lacks the announced key.
  missing_at  timestamptz(3),
  -- Of a finished generation: its history key with the log sizes up to which it is valid, encrypted
  -- under the newest generation.
  archive     bytea,
  constraint a_seal_names_its_generation check (generation between 1 and 255)
);
comment on table server_keys is 'The generations of the server key, each with a MAC by which a process recognises its key: a start with another key is refused. It decrypts nothing.';

create table service_starts (
  id uuid primary key,
  at timestamptz(3) not null default clock_timestamp()
);
comment on table service_starts is 'Every start with the embedded PostgreSQL. A database that lacks one which its machine remembers was restored.';
-- The first one, which identifies the database and its copies.
create index service_starts_by_age on service_starts (at, id);

-- The calls of the last 30 days, for admins: no bodies, no query strings.

create table requests (
  organization_id uuid not null,
  -- The Request-Id. It begins with the time of the call, which is stored nowhere else.
  id              uuid not null,
  method          text not null,
  path            text not null,
  status          integer not null,
  -- Null for calls with a session.
  key_id          uuid,
  duration_ms     integer not null,
  idempotency_key text,
  -- JSON {code, message, problems} of a refused call; it contains no body.
  error           text,
  -- The list, newest first.
  primary key (organization_id, id)
)
-- A partition per week (0015-partitions.sql).
partition by range (id);
comment on table requests is 'Completed calls. Written in batches off the request path; a few may be missing.';

create table requests_default partition of requests default;
comment on table requests_default is 'Calls of weeks without a partition; the pattern of every partition.';
