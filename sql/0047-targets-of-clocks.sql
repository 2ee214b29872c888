-- How far an advance of a sandbox's clock goes, so that one whose process has died is completed and
-- the next one adds to it (docs/decisions/0272). It is a later column of its table
-- (src/database/row-seals.ts): rows of before have none, and were the last step of theirs.
alter table clock_advances add column target_seconds bigint;
comment on column clock_advances.target_seconds
is 'How far ahead the clock is to be in the end; null is as far as it is.';
-- The steps after which a clock had not arrived, newest last: advances that stopped are among them.
-- squawk-ignore require-concurrent-index-creation
create index clock_advances_on_their_way on clock_advances (advanced_at)
where target_seconds > offset_seconds;
