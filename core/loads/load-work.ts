import { createHash } from 'node:crypto'

/**
 * The state that the processes of a load share. A file of a load is in one of these states, by the items stored for it:
 *
 * | state   | open file          | outcome         | becomes                                                         |
 * |---------|--------------------|-----------------|-----------------------------------------------------------------|
 * | open    | without live lease | none or refused | leased by `lease`                                               |
 * | leased  | with live lease    | none or refused | open by `giveBack` or time, ready or refused by `settle`        |
 * | refused | none               | refused         | open when the load is resumed                                   |
 * | ready   | any                | ready           | never another source                                            |
 *
 * The outcome decides, and leases only save work: a worker whose lease ran out may still settle its file, and the first
 * source that is recorded for a file stays.
 */

/** A file that a load is to read. */
export interface LoadFile {
  /** Identifies the published file: its address without signature parameters. */
  readonly identity: string
  /** The URL that it can be fetched from, possibly signed. */
  readonly location: string
  /** When the URL was listed. */
  readonly listedAt: Date
  /** Its size as published, in bytes; absent if it is unknown. */
  readonly bytes?: number
  /** See `LoadPlace`. The queue is ordered by size, so it does not say. */
  readonly position?: number
}

/** The exclusive right of a worker, until it ends or is given back. */
export interface Lease {
  /** Unique for each process. */
  readonly worker: string
  readonly until: Date
}

/** A file that is not settled. */
export interface OpenFile extends LoadFile {
  /** Its position in the queue: the largest file comes first, and files of unknown size last. */
  readonly key: string
  /** Number of times that a worker has begun it without giving it back. */
  readonly attempts: number
  /** May have run out. */
  readonly lease?: Lease
}

/** The outcome of a file: the source that it became, or the reason why it was refused. */
export type FileOutcome =
  | {
      readonly outcome: 'ready'
      readonly sourceId: string
      /** A key of the content of the files that it refers to. */
      readonly referencesKey: string
      /** Absent if the rows of an earlier load were taken over without reading the file. */
      readonly findings?: readonly FileFinding[]
      readonly bytes: number
      readonly prices: number
    }
  | {
      readonly outcome: 'refused'
      /** The address of the faulty file: this one, or one that it refers to. */
      readonly file: string
      readonly fault: string
    }

export interface FileFinding {
  readonly rule: string
  readonly count: number
  readonly examples: readonly string[]
}

/** The listing of a load's table of contents, which is stored packed and split into parts. */
export interface StoredListing {
  readonly listedAt: Date
  /** The publisher, as the table of contents names it. */
  readonly entity?: string | undefined
  readonly lastUpdatedOn?: string | undefined
  readonly parts: number
}

/** Tasks that one worker at a time does for all: to `wait` until other leases end, and to `list` all files again. */
export type SharedTask = 'wait' | 'list'

/** Outcomes by the keys of their files (`fileKey`). */
export type Outcomes = ReadonlyMap<string, FileOutcome>

/** A key of a file, whose address may be longer than the key of an item. */
export const fileKey = (identity: string): string => createHash('sha256').update(identity).digest('hex')

const digits = 15

/** The position of a file in the queue: see `OpenFile.key`. */
export function queueKey({ identity, bytes = 0 }: Pick<LoadFile, 'identity' | 'bytes'>): string {
  return `${String(10 ** digits - 1 - Math.min(bytes, 10 ** digits - 1)).padStart(digits, '0')}#${fileKey(identity)}`
}
