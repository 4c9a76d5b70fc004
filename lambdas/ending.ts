import type { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUsages } from '../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoJobs } from '../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createEventBridgeAnnouncements } from '../adapters/eventbridge-announcements.ts'
import type { Environment } from '../schema/environment.ts'
import { createEndCount } from './metrics.ts'

/** Composes what functions need that end jobs. */
export function composeEnding(
  dynamo: ReturnType<typeof connectDynamo>,
  env: Environment<'JOBS_TABLE' | 'RETENTION_DAYS' | 'STAGE'>,
) {
  return {
    jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
    usages: createDynamoUsages(dynamo, env.JOBS_TABLE),
    announcements: createEventBridgeAnnouncements(env.STAGE),
    retentionDays: env.RETENTION_DAYS,
    now: () => new Date(),
    countEnd: createEndCount(env.STAGE),
  }
}
