-- Documents whose record does not verify, for those who share them (docs/decisions/0172). There are
-- none, unless somebody has written to the database.
-- squawk-ignore require-concurrent-index-creation
create index documents_on_hold_of_issuer on documents (issuer_id, id) where integrity_hold;
-- squawk-ignore require-concurrent-index-creation
create index documents_on_hold_of_counterparty on documents (counterparty_id, id)
  where integrity_hold;
