import { makeEmptyShard } from '../adapters/s3/empty-shard.ts'
import { createS3ResultFiles } from '../adapters/s3/s3-result-files.ts'
import { resultLimits } from '../core/workflow/publish-results.ts'
import type { Environment } from '../schema/environment.ts'

/** Composes what functions need that publish results. */
export function composePublishing(env: Environment<'RESULTS_BUCKET'>) {
  return { resultFiles: createS3ResultFiles(env.RESULTS_BUCKET), makeEmptyShard, limits: resultLimits }
}
