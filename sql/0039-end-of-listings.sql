-- When an open listing ends: when it expires, or after the due date of its invoice
-- (changes/finance/listings.ts). The indexes of before knew when it expires.
-- squawk-ignore require-concurrent-index-deletion
drop index finance_listings_by_expiry;
-- squawk-ignore require-concurrent-index-deletion
drop index finance_listings_by_expiry_of_borrower;
-- Listings that end, by the real clock.
-- squawk-ignore require-concurrent-index-creation
create index finance_listings_by_end on finance_listings
  (least(expires_at, (due_date + 1)::timestamp at time zone 'UTC')) where status = 'open';
-- The same of a sandbox whose clock is ahead of it.
-- squawk-ignore require-concurrent-index-creation
create index finance_listings_by_end_of_borrower on finance_listings
  (borrower_id, least(expires_at, (due_date + 1)::timestamp at time zone 'UTC'))
  where status = 'open';
