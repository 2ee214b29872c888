-- References between documents and what they do to each other; offers that lapse; search.

alter table documents
  -- Issued documents that were made from this one and stand: neither rejected nor cancelled.
  add column children          integer not null default 0,
  -- What they take of it, in minor units: of an order the subtotals of its invoices, of an invoice
  -- the totals of its credit notes.
  add column claimed           bigint not null default 0,
  -- Whether the issuer chose the last day of the offer; if not, it moves with the document date.
  add column valid_until_given boolean not null default false,
  add constraint claims_are_never_negative check (children >= 0 and claimed >= 0);

-- Offers whose last day may have passed (tasks/expire-offers.ts).
create index documents_by_lapse on documents (valid_until)
  where valid_until is not null and status in ('sent', 'acknowledged');

create table document_links (
  from_id uuid not null references documents (id),
  to_id   uuid not null references documents (id),
  rel     text not null,
  primary key (from_id, to_id, rel)
);
comment on table document_links is 'The references of each document: what it names is locked and loaded with it.';

-- Search is indexed behind the writes: a writer pays nothing, and a reader looks through what the
-- index does not hold yet.

create table search_heads (
  organization_id uuid primary key references organizations (id),
  -- The feed position up to which the organization's documents are in search_entries.
  indexed         bigint not null
);
comment on table search_heads is 'How far the search index of each organization has come.';

create table search_entries (
  organization_id uuid not null,
  -- As in document_views.
  created         bigint not null,
  -- Every word behind the name of a bucket: the organization and a range of its positions.
  words           tsvector not null,
  primary key (organization_id, created)
);
comment on table search_entries is 'The words of one document as one viewer may find it.';
-- search_hits(). Written in bulk by one task, so that readers find no pending list to walk.
create index search_entries_by_word on search_entries using gin (words) with (fastupdate = off);

-- Newest first, at a cost that depends neither on how many documents hold the words nor on how many
-- there are. Common words are found among the newest entries of the first two buckets (one query
-- for each, `start` is where the second begins); rarer ones bucket by bucket, until it is enough.
create function search_hits(
  organization uuid, buckets text[], start bigint, before bigint, most integer, newest integer
) returns setof bigint language plpgsql stable as $$
declare
  hits  bigint[];
  more  bigint[];
  query text;
begin
  select array_agg(n.created order by n.created desc) into hits from (
    select e.created, e.words from search_entries e
    where e.organization_id = organization and e.created < before and e.created >= start
    order by e.created desc limit newest) n
  where n.words @@ buckets[1]::tsquery or n.words @@ buckets[2]::tsquery;
  if coalesce(cardinality(hits), 0) < most then
    hits := '{}';
    foreach query in array buckets loop
      -- Materialized: the words alone choose the index.
      with matching as materialized (
        select e.organization_id, e.created from search_entries e where e.words @@ query::tsquery)
      select array_agg(m.created order by m.created desc) into more from matching m
      where m.organization_id = organization and m.created < before;
      hits := hits || more;
      exit when cardinality(hits) >= most;
    end loop;
  end if;
  return query select unnest(hits[1:most]);
end $$;
