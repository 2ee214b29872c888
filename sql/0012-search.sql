-- Search is indexed behind the writes: a writer pays nothing, and a reader looks through what the
-- index does not hold yet.

create table search_progress (
  organization_id uuid primary key references organizations (id),
  -- The feed position up to which the organization's documents are in search_entries.
  indexed         bigint not null
);
comment on table search_progress is 'How far the search index of each organization has come.';

create table search_entries (
  organization_id uuid not null,
  -- As in document_views.
  position        bigint not null,
  -- Every word behind the name of a bucket: the organization and a range of its positions.
  words           tsvector not null,
  primary key (organization_id, position)
);
comment on table search_entries is 'The words of one document as one viewer may find it.';
-- search_hits(). Written in bulk by one task, so that readers find no pending list to walk.
create index search_entries_by_word on search_entries using gin (words) with (fastupdate = off);

-- Positions, newest first, until it is enough. Buckets hold `width` positions each and are asked in
-- runs, newest first. There is a prefilter for each run, which says what the index is asked for, and how
-- many entries it may find (`entries_max`; 0 = any number). The query must hold of an entry, with the
-- name of its bucket for ~; `names` has those of all buckets from `top` down. -n at the end: run n
-- finds more; what lies in it and below was not looked at.
create function search_hits(
  organization uuid, prefilters text[], entries_max integer[], query text, names text[],
  top bigint, width integer, before bigint, most integer
) returns setof bigint language plpgsql stable
-- The plan is always the same; making it anew for the values of each call takes longer than a run.
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
    -- Materialized: the words alone choose the index, and the limit ends what is fetched by it.
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
