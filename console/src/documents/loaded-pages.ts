/** Of 50 rows: so many can be chosen at once, and are read on from one document to the next. */
export const loadedPagesMost = 40
