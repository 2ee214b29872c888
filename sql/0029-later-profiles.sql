-- The versions of a profile after the one that a document was issued with (docs/decisions/0152).
-- squawk-ignore require-concurrent-index-creation
create index organization_profiles_by_time on organization_profiles (organization_id, created_at);
comment on table organization_profiles
is 'Every version of the profile of an organization, by created_at. Rows never change.';
