-- An address has several forms in Unicode: letters with their accents, or followed by them. New rows
-- have the composed form (NFC); older ones are found by it.

-- The user with an address.
-- squawk-ignore require-concurrent-index-creation
create index users_by_composed_email on users (normalize(email, nfc));
-- squawk-ignore require-concurrent-index-deletion
drop index connection_invitations_received;
-- The invitations that an address received, newest first.
-- squawk-ignore require-concurrent-index-creation
create index connection_invitations_received on connection_invitations
  (normalize(email, nfc), id);
