-- Where the time of an attempt went, for whoever looks for the reason of a slow receiver.

alter table webhook_attempt add column timings text;
comment on column webhook_attempt.timings
is 'The completed steps in ms, as JSON; those of an open connection are missing.';
