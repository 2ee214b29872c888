-- Search by amount (docs/decisions/0135): the entries of documents that are indexed already get the
-- words of their amounts in the background. A later change of the words sets `renewed` to 0 again.

alter table search_progress
  -- The feed position up to which entries have the words that this version makes; at most `indexed`.
  add column renewed bigint not null default 0;
