-- A search that finds little looks through many buckets. Asked for some at once they cost little
-- more than one, and what is in every document is not collected to look for what is in few.

drop function search_hits(uuid, text[], bigint, bigint, integer, integer);

-- Positions, newest first, until it is enough. A bait and a query for each run of buckets, newest
-- first: the bait says what the index is asked for, the query what must hold of an entry.
create function search_hits(
  organization uuid, baits text[], queries text[], before bigint, most integer
) returns setof bigint language plpgsql stable
-- The plan is always the same; making it anew for the values of each call takes longer than a run.
set plan_cache_mode = force_generic_plan as $$
declare
  hits bigint[] := '{}';
  more bigint[];
  bait text;
  run  integer := 0;
begin
  foreach bait in array baits loop
    run := run + 1;
    -- Materialized: the words alone choose the index.
    with matching as materialized (
      select e.organization_id, e.created, e.words from search_entries e
      where e.words @@ bait::tsquery)
    select array_agg(m.created order by m.created desc) into more from matching m
    where m.organization_id = organization and m.created < before
      and m.words @@ queries[run]::tsquery;
    hits := hits || more;
    exit when cardinality(hits) >= most;
  end loop;
  return query select unnest(hits[1:most]);
end $$;
