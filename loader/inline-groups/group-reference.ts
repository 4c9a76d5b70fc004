/** The names of a reference's networks. */
export interface Networks {
  /** Null if there are none. */
  readonly names: readonly string[] | null
  /** Whether a filter keeps their groups. */
  readonly isKept: boolean
}

/** The group of a provider reference; inline groups have none. */
export interface GroupReference {
  /** The number of its id in the file. */
  readonly number: number
  /** A text of the store. */
  readonly id: number
  readonly key: number
}
