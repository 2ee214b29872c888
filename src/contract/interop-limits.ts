/** Limits of the profile of an organization and of exports (contract 12, domain 7). */
export const interopLimits = {
  profileNameMaxLength: 200,
  profileLineMaxLength: 200,
  profileIdMaxLength: 50,
  timeZoneMaxLength: 64,
  /** Versions after the issue of a document, in which an export looks for what it lacks. */
  laterProfilesMax: 200,
  logoMaxBytes: 1024 * 1024,
  /** A sharp logo has a tenth of them; each costs up to 8 bytes of memory while it is drawn. */
  logoMaxPixels: 2_000_000,
  importMaxBytes: 5 * 1024 * 1024,
  /** For XML and CSV, also inside of a PDF. */
  importTextMaxBytes: 1024 * 1024,
  /** Most streams of a PDF are pages and fonts. */
  pdfStreamsMax: 20_000,
  pdfEmbeddedFilesMax: 20,
  csvRowsMax: 1_000,
  csvColumnsMax: 100,
  xmlElementsMax: 20_000,
  /** In all elements together: one of our exports with 200 lines has a tenth of them. */
  xmlAttributesMax: 10_000,
  xmlDepthMax: 30,
  /** What an import reports as ignored. */
  importReportMaxEntries: 100,
  /** What it reports as understood: 50 lines and more. */
  importUnderstoodMaxEntries: 500,
  /** Documents of the number of a file that an import compares, and rows in which it looks. */
  numberedDocumentsMax: 5,
  numberedDocumentsLookBack: 100,
  /** A document of 200 lines takes half a second of a core, of which a thread may get a tenth. */
  pdfMaxMs: 20_000,
  pdfCacheMaxBytes: 32 * 1024 * 1024,
  pdfThreadMaxMegabytes: 256,
  pdfThreadIdleMs: 60_000,
  /** When a list is downloaded as a file; with more, it is refused before anything is read. */
  downloadMaxRows: 100_000,
  /** A client that takes nothing for so long, or not everything in time, is cut off. */
  downloadStallMs: 90_000,
  downloadMaxMs: 30 * 60_000,
  /** How many characters of a file a tool returns. */
  toolTextMaxLength: 100_000,
} as const
