-- An old invitation with its old seal is not shown and not accepted (docs/decisions/0144).
alter table connection_invitations add column version bigint;
comment on column connection_invitations.version
is 'While it is invited: the version of the inviter for this table; null is 0.';
