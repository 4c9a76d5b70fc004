/**
 * An entry of the word index: the payer with all its plans, the plan name with all its variants, or the one variant to
 * which a key leads. A posting can be out of date; the catalogue's entries alone say what can be searched.
 * See docs/adr/0029-plans-are-found-by-words.md.
 */
export interface Posting {
  /** A key of `keysOf`, the value of a plan id in lower case, or a key of `marketKey`. */
  readonly key: string
  readonly payer: string
  /** Empty for all plans of the payer. */
  readonly name: string
  /** The plan of a variant's entry, or the `listOfIds` of an own relation's; empty for the name. */
  readonly variant: string
}

/** A write to the index: its postings never change. */
export interface Segment {
  readonly segmentId: string
  readonly createdAt: Date
}
