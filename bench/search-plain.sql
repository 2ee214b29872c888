-- What PostgreSQL's own index does with the search of contract 8 (docs/decisions/0032): one row per
-- viewer and document, its words as a tsvector, GIN on the organization (btree_gin) and the words.
--   psql -v count=1000000 -f bench/search-plain.sql DATABASE_URL
-- on an empty database. Half of the documents are those of one pair, like in bench:scale.
\set ON_ERROR_STOP on
create extension if not exists btree_gin;
create table words as
  select i, translate(substr(md5(i::text), 1, 3 + i % 6), '0123456789', 'ghijklmnop') as word
  from generate_series(1, 5000) i;
create table vocabulary as select array_agg(word order by i) as words from words;
create function organization(side text, pair int) returns uuid language sql immutable as
  $$select md5(side || pair)::uuid$$;

-- 18 words a document, a few of them very common; 'oldword' is in the oldest 30 % of them.
create unlogged table texts as
select n, case when n % 2 = 0 then 1 else 2 + (n / 2) % 63 end as pair,
  (select string_agg(words[least(5000, floor(exp(random() * ln(5000)))::int + n * 0)], ' ')
   from vocabulary, generate_series(1, 18 + n * 0))
  || case when n < :count * 0.3 then ' oldword' else '' end as text
from generate_series(1, :count) n;

create table entries (
  organization_id uuid, position bigint, words tsvector, primary key (organization_id, position)
);
insert into entries
select organization(case s when 0 then 'issuer' else 'counterparty' end, pair), n * 4 + s,
  array_to_tsvector(array(select distinct word from unnest(string_to_array(text ||
    ' consulting delivery thank you for your business acme' || pair || ' ' || n ||
    ' inv' || lpad(n::text, 6, '0') || ' so2026' || n || ' 2026' || n, ' ')) word))
from texts, generate_series(0, 1) s order by n, s;
set maintenance_work_mem = '1GB';
create index entries_by_word on entries using gin (organization_id, words);
vacuum analyze entries;

set jit = off;
\timing on
-- Each three times: a word of all documents, of the oldest 30 %, of one, a common and a rare one.
select count(*) from (select position from entries
  where organization_id = organization('issuer', 1) and words @@ '''consult'':*'
  order by position desc limit 51) found \g \g \g
select count(*) from (select position from entries
  where organization_id = organization('issuer', 1) and words @@ '''oldword'':*'
  order by position desc limit 51) found \g \g \g
select count(*) from (select position from entries
  where organization_id = organization('issuer', 1) and words @@ '''inv000500'':*'
  order by position desc limit 51) found \g \g \g
select count(*) from (select position from entries
  where organization_id = organization('issuer', 1) and words @@ '''consulting'':* & ''so2026500'':*'
  order by position desc limit 51) found \g \g \g
