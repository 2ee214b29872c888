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

-- Newest first, bucket by bucket (one query for each), until enough are found: the cost of a page
-- depends neither on how many documents hold the words nor on how many there are.
create function search_hits(organization uuid, buckets text[], before bigint, most integer)
returns setof bigint language plpgsql stable as $$
declare
  bucket text;
  found  integer := 0;
  more   integer;
begin
  foreach bucket in array buckets loop
    -- Materialized: the words alone choose the index.
    return query
      with matching as materialized (
        select e.organization_id, e.created from search_entries e where e.words @@ bucket::tsquery)
      select m.created from matching m
      where m.organization_id = organization and m.created < before
      order by m.created desc limit most - found;
    get diagnostics more = row_count;
    found := found + more;
    exit when found >= most;
  end loop;
end $$;
