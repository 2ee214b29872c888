-- What a receiver said beside the body, for whoever looks for the reason of a failure.

alter table webhook_attempt add column response_headers text;
comment on column webhook_attempt.response_headers
is 'Of a failed attempt, as JSON; null without a response, and after a success.';
