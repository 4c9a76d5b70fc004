import { hash } from 'node:crypto'

/** Number of consecutive ids of a load that have one prefix. One LIST request returns as many names. */
const idsPerPrefix = 1_000

/** Length of a prefix in characters. */
export const prefixLength = 8

/** The rest of an id, so that ids have at most 20 characters. */
const restLength = 12

/** The position of a source or content in its load. */
export interface LoadPosition {
  /** The load, or the command that changes the catalogue. */
  readonly loadId: string
  /**
   * Number of a source's file among the files of the load, in the order in which these are listed, or of a content
   * among the contents that the load has made; from 0. Absent if an earlier version began the load.
   */
  readonly position?: number | undefined
}

/**
 * Makes the id of a source or content. It begins with a prefix that neighbours in the load share, which decides the
 * folder (`bucketOf`). What a search reads is mostly neighbours, so it lies in few folders (docs/adr/0044).
 *
 * @param unique is not the end of another id
 */
export function makePrefixedId({ loadId, position }: LoadPosition, unique: string): string {
  if (position === undefined) return unique
  const prefix = hash('sha256', JSON.stringify([loadId, Math.floor(position / idsPerPrefix)])).slice(0, prefixLength)
  return prefix + unique.slice(-restLength)
}
