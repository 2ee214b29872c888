-- Buckets of twice as many positions: half the look-ups for what is rare. The index is made anew,
-- behind the searches, which look through what it does not hold yet.

truncate search_entries;
update search_heads set indexed = 0;

-- What a run finds is held against the query of the bucket it is in: reading the query of all
-- buckets of the run for every entry took longer than finding it.

drop function search_hits(uuid, text[], text[], integer[], bigint, integer);

-- Positions, newest first, until it is enough. Buckets hold `width` positions each and are asked in
-- runs, newest first. There is a bait for each run, which says what the index is asked for, and how
-- many entries it may find (`allowed`; 0 = any number). The query must hold of an entry, with the
-- name of its bucket for ~; `names` has those of all buckets from `top` down. -n at the end: run n
-- finds more; what lies in it and below was not looked at.
create function search_hits(
  organization uuid, baits text[], allowed integer[], query text, names text[],
  top bigint, width integer, before bigint, most integer
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
          and m.words @@ replace(query, '~', names[(top - m.created / width + 1)::integer])::tsquery)
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
