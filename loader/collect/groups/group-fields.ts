/** The uses of groups that are written; other groups have 0. */
export const groupUses = { used: 1, undecided: 2, unused: 3 } as const

/** The names of a reference's networks. */
export interface Networks {
  /** Null if there are none. */
  readonly names: readonly string[] | null
  /** True if the filter keeps groups in these networks. */
  readonly isKept: boolean
}

/**
 * The numbers of a TIN: its group, texts of the store, an index in `networkLists`, and the end of its members. They lie
 * together in memory, because rows are written in the order of NPIs, and each row reads another TIN.
 */
export const tinField = { group: 0, type: 1, value: 2, name: 3, networks: 4, endOfMembers: 5 } as const
export const tinSize = 6

/** The numbers of a group. */
export const groupField = {
  endOfTins: 0,
  /** Number of distinct NPIs of the group, including those that a filter leaves out, but not 0. */
  npiCount: 1,
  /** One of `groupUses`, or 0. */
  use: 2,
  /** The number of a reference's id plus 1; 0 for an inline group. */
  reference: 3,
  /** Number of distinct TINs of the group by type and value, including those that a filter leaves out. */
  tinCount: 4,
} as const
export const groupSize = 5
