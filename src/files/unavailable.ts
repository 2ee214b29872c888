/** The file store did not do what it was asked for; the same request may succeed later. */
export class FilesUnavailable extends Error {
  override name = 'FilesUnavailable'
}
