import { hash } from 'node:crypto'

/** Number of consecutive files of a load whose sources have one mark. One LIST request returns as many names. */
const filesPerMark = 1_000

/** Length of a mark in characters. */
export const markLength = 8

/** The rest of an id, so that ids have at most 20 characters. */
const restLength = 12

/** The file that becomes a source. */
export interface SourcePlace {
  readonly loadId: string
  /**
   * Its number among the files of the load, from 0, in the order in which these are listed. Absent if an earlier
   * version began the load.
   */
  readonly place?: number | undefined
}

/**
 * Makes the id of a source. It begins with a mark that the file shares with its neighbours in the load, and the mark
 * decides the folder (`bucketOf`): files of a plan are mostly neighbours, so a search finds them in few folders
 * (docs/adr/0044).
 *
 * @param unique is not the end of another id
 */
export function makeSourceId({ loadId, place }: SourcePlace, unique: string): string {
  if (place === undefined) return unique
  const mark = hash('sha256', JSON.stringify([loadId, Math.floor(place / filesPerMark)])).slice(0, markLength)
  return mark + unique.slice(-restLength)
}
