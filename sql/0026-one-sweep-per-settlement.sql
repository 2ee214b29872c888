-- Loans (docs/decisions/0144): one settlement is swept once, whatever the row of the agreement says.
-- It scans the payments once, in the transaction of the migration, and keeps the few that are sweeps.

-- squawk-ignore require-concurrent-index-creation
create unique index payments_one_sweep_per_settlement on payments (agreement_id, triggered_by_payment_id)
where kind = 'sweep';
