import { LoadRefused } from '../../fetch/load-refused.ts'

/** Bytes of memory that a load holds: of a plan its names and facts, of a file its addresses, of a mention an index. */
const bytesOf = { plan: 3_300, file: 550, mention: 32 } as const

/** Maximum memory for what a table of contents lists, in bytes: a load stays below 1 GiB. */
const maxBytes = 840_000_000

/**
 * Limits what a table of contents may list. A load holds its plans, its files and their lists together, and a file of
 * some megabytes can combine a hundred lists in thousands of ways.
 */
export class ListingBudget {
  readonly #path: string
  #left: number

  /**
   * @param path of the table of contents
   * @param bytes of memory
   */
  constructor(path: string, bytes: number = maxBytes) {
    this.#path = path
    this.#left = bytes
  }

  /** @throws LoadRefused if the table of contents lists too much */
  spend(kind: keyof typeof bytesOf, count: number): void {
    this.#left -= bytesOf[kind] * count
    if (this.#left < 0)
      throw new LoadRefused(
        this.#path,
        'it lists more than a load can hold, 250,000 plans or 1,500,000 files, or plans in too many combinations of long lists: split it, or load single plans with --plan',
      )
  }
}
