-- Partitions by time (docs/decisions/0051). What expires after some weeks is stored in a partition
-- per ISO week in UTC, and a week expires by dropping its partition. The service may not create or
-- drop a table: it calls the two functions below, which take no argument, so all that a caller can
-- do is to have done what is due.

-- The lowest UUIDv7 of a millisecond, as firstUuidAt in src/core/ids.ts.
create function first_uuid_at(at timestamptz) returns uuid
language sql immutable strict parallel safe as $$
  select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0')
    || '70008000000000000000')::uuid
$$;

-- The partitioned tables, and for how long each stores a row at least (src/contract/limits.ts).
-- Not a table, since the service may write those.
create function partitioned_tables() returns table (name text, storage_days integer)
language sql immutable parallel safe as $$
  values ('events', 31), ('webhook_delivery', 31), ('webhook_attempt', 31), ('requests', 30)
$$;

-- Creates a partition that is missing for this week or the next three, and returns whether there
-- may be another one; one per call, so no lock waits for a second one. A partition is a copy of the
-- default one. Attaching it locks out the readers of the default partition for a moment, and no
-- writers. If the default partition has rows of that week, they stay there, and the week with them.
create function prepare_partitions() returns boolean language plpgsql
security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
declare
  missing record;
begin
  if not pg_try_advisory_xact_lock(4216774) then return false; end if;
  for missing in
    select t.name, d.relname as pattern, t.name || to_char(monday, '_YYYYMMDD') as partition,
      coalesce('with (' || array_to_string(d.reloptions, ', ') || ')', '') as options,
      first_uuid_at(monday at time zone 'UTC') as starts,
      first_uuid_at((monday + interval '1 week') at time zone 'UTC') as ends
    from partitioned_tables() t
    join pg_class d on d.oid = (t.name || '_default')::regclass
    cross join generate_series(0, 3) week
    cross join lateral (
      select date_trunc('week', now() at time zone 'UTC') + week * interval '1 week' as monday) m
    where to_regclass(t.name || to_char(monday, '_YYYYMMDD')) is null
  loop
    begin
      execute format('create table %I (like %I including all) %s',
        missing.partition, missing.pattern, missing.options);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        missing.name, missing.partition, missing.starts, missing.ends);
      return true;
    exception when lock_not_available or check_violation then null; -- The next round tries again.
    end;
  end loop;
  return false;
end $$;
revoke execute on function prepare_partitions() from public;

-- Drops a partition whose last row has expired, and returns whether there may be another one; one
-- per call, since each locks out all use of its table until COMMIT. A delivery may be younger than
-- its id, when it was recovered; its partition waits for it, and so do the attempts.
create function drop_expired_partitions() returns boolean language plpgsql
security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
declare
  expired record;
  is_used boolean;
begin
  if not pg_try_advisory_xact_lock(4216774) then return false; end if;
  for expired in
    select t.name, p.relname as partition, right(p.relname, 8) as monday,
      now() - t.storage_days * interval '1 day' as kept_from
    from partitioned_tables() t
    join pg_inherits i on i.inhparent = t.name::regclass
    join pg_class p on p.oid = i.inhrelid and p.relname ~ '_\d{8}$'
    where (to_date(right(p.relname, 8), 'YYYYMMDD') + 7)::timestamp at time zone 'UTC'
      <= now() - t.storage_days * interval '1 day'
    order by p.relname
  loop
    is_used := false;
    if expired.name = 'webhook_delivery' then
      execute format('select exists (select from %I where created_at >= $1)', expired.partition)
        into is_used using expired.kept_from;
    elsif expired.name = 'webhook_attempt' then
      is_used := to_regclass('webhook_delivery_' || expired.monday) is not null;
    end if;
    continue when is_used;
    begin
      execute format('drop table %I', expired.partition);
      return true;
    exception when lock_not_available then null; -- The next round tries again.
    end;
  end loop;
  return false;
end $$;
revoke execute on function drop_expired_partitions() from public;

do $$ begin
  while prepare_partitions() loop end loop;
end $$;
