-- What an attempt was signed with, which no later secret can tell: for whoever compares it with what
-- a receiver has computed.

alter table webhook_attempt add column signatures text;
comment on column webhook_attempt.signatures
is 'The headers Svc-Signature and webhook-signature as sent, one after the other; no secret.';
