-- Which checkpoint a proof rests on is a matter of bytes: the first that covers the head. Each one
-- therefore says which was signed before it, under its MAC, and a row that is missing is missed.
-- Null: signed before this was kept.
alter table log_checkpoint add column after bigint;
