-- Lists by currency, by due date, and of what is owed (docs/decisions/0157).

alter table document_views
  add column currency text,
  add column due_date date;

update document_views v set currency = d.currency, due_date = d.due_date
from documents d where d.id = v.document_id;

-- What is open of one organization, by due date: a document without one is due after all others. What
-- is settled or closed has no entry, so a range has as few as are looked at. The statuses are those of
-- the owed phases (contract/document-types.ts).
-- squawk-ignore require-concurrent-index-creation
create index document_views_by_due
  on document_views (organization_id, (coalesce(due_date, 'infinity'::date)))
  where status in ('submitted', 'sent', 'acknowledged', 'approved', 'accepted', 'funded', 'disputed',
    'flagged', 'payment_scheduled');
