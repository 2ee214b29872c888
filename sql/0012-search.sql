-- The search index is built asynchronously: writers pay nothing, and readers scan the documents
-- that it does not hold yet.

create table search_progress (
  organization_id uuid primary key references organizations (id),
  -- The feed position up to which the organization's documents are in search_entries.
  indexed         bigint not null
);
comment on table search_progress is 'Progress of the search index of each organization.';

create table search_entries (
  organization_id uuid not null,
  -- As in document_views.
  position        bigint not null,
  -- Every word, prefixed by its bucket: the organization and a range of its positions.
  words           tsvector not null,
  primary key (organization_id, position)
);
comment on table search_entries is 'The words by which one viewer finds one document.';
-- search_hits(). The words of a round wait in the index's pending list until merge_search_words().
create index search_entries_by_word on search_entries using gin (words);

-- Merges the pending list into the index: a word that many entries share is written once per round,
-- not once per entry. Whoever writes entries calls it before COMMIT, so that no reader has to walk
-- the list. Only the owner of an index may, therefore this runs with the rights of its owner.
create function merge_search_words() returns bigint language sql
security definer set search_path = public, pg_temp as $$
  select gin_clean_pending_list('search_entries_by_word')
$$;

-- Returns up to `most` positions, newest first. Buckets hold `width` positions each and are searched
-- in runs, newest first. Each run has a prefilter, the query for the index, and a limit on the
-- entries it may find (`entries_max`; 0 = unlimited). An entry matches if it satisfies `query` with
-- ~ replaced by the name of its bucket; `names` lists all buckets from `top` down. A final -n means
-- that run n exceeded its limit: that run and those below it were not searched.
create function search_hits(
  organization uuid, prefilters text[], entries_max integer[], query text, names text[],
  top bigint, width integer, before bigint, most integer
) returns setof bigint language plpgsql stable
-- The plan is always the same, and planning each call would take longer than a run.
set plan_cache_mode = force_generic_plan as $$
declare
  hits      bigint[] := '{}';
  more      bigint[];
  prefilter text;
  run       integer := 0;
  found     integer;
begin
  foreach prefilter in array prefilters loop
    run := run + 1;
    -- Materialized so that only the words select the index and the limit bounds what is fetched.
    with matching as materialized (
      select e.organization_id, e.position, e.words from search_entries e
      where e.words @@ prefilter::tsquery)
    select count(*), array_agg(m.position order by m.position desc) filter (
        where m.organization_id = organization and m.position < before
          and m.words @@ replace(query, '~', names[(top - m.position / width + 1)::integer])::tsquery)
      into found, more from (select * from matching limit nullif(entries_max[run], 0) + 1) m;
    if found > nullif(entries_max[run], 0) then
      return query select unnest(hits[1:most]);
      return next -run;
      return;
    end if;
    hits := hits || more;
    exit when cardinality(hits) >= most;
  end loop;
  return query select unnest(hits[1:most]);
end $$;
