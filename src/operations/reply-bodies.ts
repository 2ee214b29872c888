/** Bodies of replies that are more than a value: text that is made, bytes, and streams. */

/**
 * The JSON text of an R, built from stored parts without parsing them. A long text may stay in
 * pieces, which are joined where the response is sent.
 */
export class JsonText<R> {
  readonly text: string | readonly string[]
  declare readonly shape: R
  constructor(text: string | readonly string[]) {
    this.text = text
  }
}

/** A body that is no text, such as a PDF; reads only. */
export class ExactBytes<R> {
  readonly bytes: Buffer
  declare readonly shape: R
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A text that is sent while it is made, piece by piece; reads only. */
export class StreamedText<R> {
  readonly pieces: AsyncIterable<string>
  declare readonly shape: R
  constructor(pieces: AsyncIterable<string>) {
    this.pieces = pieces
  }
}

/** What changes after a position of the caller's feed, without an end; reads only. */
export class LiveChanges<R> {
  readonly position: bigint
  /** The caller has missed changes that come no more. */
  readonly isAfterGap: boolean
  declare readonly shape: R
  constructor({ position, isAfterGap }: { position: bigint; isAfterGap: boolean }) {
    this.position = position
    this.isAfterGap = isAfterGap
  }
}
