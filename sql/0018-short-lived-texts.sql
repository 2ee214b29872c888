-- Kept replies live for a day and events for a month: compressing them (pglz, on every write) costs
-- more than the room that it saves for so long. What is kept for ever is compressed as before.

alter table idempotency set (toast_tuple_target = 8160);
alter table events set (toast_tuple_target = 8160);
