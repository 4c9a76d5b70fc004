import type { CompletedJob } from './job.ts'

/**
 * A shard's key and the name of its download. The name has a suffix by which tools recognize the file; Athena's key has
 * none.
 */
export interface NamedShard {
  readonly key: string
  readonly fileName: string
}

/** Returns the names of a job's shards, in order. They are the same in every response. */
export function nameShards({ jobId, shards }: Pick<CompletedJob, 'jobId' | 'shards'>): readonly NamedShard[] {
  return shards.map(({ key }, index) => ({ key, fileName: `${jobId}-${String(index + 1).padStart(4, '0')}.parquet` }))
}
