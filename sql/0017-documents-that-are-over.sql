-- What one party saw before it started its sandbox over is over for the other one, who reads it on
-- (docs/decisions/0018). It follows from the positions and is kept beside them, so that no read of
-- a document has to look at both parties.

alter table documents add column is_over boolean not null default false;

update documents d set is_over = true from organizations i, organizations c
where i.id = d.issuer_id and c.id = d.counterparty_id and d.issued_at is not null
  and (d.issuer_position <= i.reset_position) <> (d.counterparty_position <= c.reset_position);
