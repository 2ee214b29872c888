-- What is in few of the newest documents may be in very many old ones: to collect all of those for
-- one page takes seconds. A run of buckets that holds more than it may is given up and told.

drop function search_hits(uuid, text[], text[], bigint, integer);

-- Positions, newest first, until it is enough. A bait and a query for each run of buckets, newest
-- first: the bait says what the index is asked for, the query what must hold of an entry, `allowed`
-- how many entries the bait may find (0 = any number). -n at the end: run n finds more; what lies in
-- it and below was not looked at.
create function search_hits(
  organization uuid, baits text[], queries text[], allowed integer[], before bigint, most integer
) returns setof bigint language plpgsql stable
-- The plan is always the same; making it anew for the values of each call takes longer than a run.
set plan_cache_mode = force_generic_plan as $$
declare
  hits  bigint[] := '{}';
  more  bigint[];
  bait  text;
  run   integer := 0;
  found integer;
begin
  foreach bait in array baits loop
    run := run + 1;
    -- Materialized: the words alone choose the index, and the limit ends what is fetched by it.
    with matching as materialized (
      select e.organization_id, e.created, e.words from search_entries e
      where e.words @@ bait::tsquery)
    select count(*), array_agg(m.created order by m.created desc) filter (
        where m.organization_id = organization and m.created < before
          and m.words @@ queries[run]::tsquery)
      into found, more from (select * from matching limit nullif(allowed[run], 0) + 1) m;
    if found > nullif(allowed[run], 0) then
      return query select unnest(hits[1:most]);
      return next -run;
      return;
    end if;
    hits := hits || more;
    exit when cardinality(hits) >= most;
  end loop;
  return query select unnest(hits[1:most]);
end $$;
