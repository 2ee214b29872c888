-- Tool calls that wait for an approval (docs/decisions/0129).

alter table approvals add column last_state_at timestamptz(3);
comment on column approvals.last_state_at
is 'When the newest request state was made that an MCP client has sent back: no state of that time or before works again.';
