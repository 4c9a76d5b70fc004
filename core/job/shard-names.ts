import type { CompletedJob } from './job.ts'

/** A shard's key, and the name that it is downloaded under: Athena's files have no suffix by which tools recognize them. */
export interface NamedShard {
  readonly key: string
  readonly fileName: string
}

/** The names of a job's shards, in order. They are the same in every response. */
export function nameShards({ jobId, shards }: Pick<CompletedJob, 'jobId' | 'shards'>): readonly NamedShard[] {
  return shards.map(({ key }, index) => ({ key, fileName: `${jobId}-${String(index + 1).padStart(4, '0')}.parquet` }))
}
