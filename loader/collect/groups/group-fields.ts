/** The marks of groups that are written; those of others are 0. */
export const groupMarks = { used: 1, undecided: 2, unused: 3 } as const

/** The names of a reference's networks. */
export interface Networks {
  /** Null if there are none. */
  readonly names: readonly string[] | null
  /** Whether a filter keeps their groups. */
  readonly isKept: boolean
}

/**
 * The numbers of a TIN: texts of the store, an index of `networkLists`, and where its members end. They lie together, because
 * rows are written in the order of NPIs, in which each row finds another TIN.
 */
export const tinField = { group: 0, type: 1, value: 2, name: 3, networks: 4, endOfMembers: 5 } as const
export const tinSize = 6

/** The numbers of a group. */
export const groupField = {
  endOfTins: 0,
  /** Distinct NPIs of the group, also those that a filter leaves out; 0 is not counted. */
  npiCount: 1,
  /** One of `groupMarks`, or 0. */
  mark: 2,
  /** The number of a reference's id plus 1; 0 for an inline group. */
  reference: 3,
  /** Distinct TINs of the group by type and value, also those that a filter leaves out. */
  tinCount: 4,
} as const
export const groupSize = 5
