-- The words of a search in more languages (docs/decisions/0243): entries that were written before
-- are written anew in the background.
update search_progress set renewed = 0;
