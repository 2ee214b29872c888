-- What processors no longer send is purged.
-- squawk-ignore require-concurrent-index-creation
create index rail_events_by_time on rail_events (received_at);
