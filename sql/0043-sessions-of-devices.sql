-- A program that a person has approved is not that person (docs/decisions/0120).
alter table sessions drop constraint client_is_known;
alter table sessions add constraint client_is_known
  check (client in ('browser', 'cli', 'device')) not valid;
