import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { jobsTable, type TableSchema, webhooksTable } from '../../schema/tables.ts'
import type { Tables } from '../storage/tables.ts'
import { metricPeriod } from './service-metrics.ts'

/**
 * Counts throttled requests to the tables on which calls and steps wait. Writes of organizations, fee schedules and
 * contents are left out: only commands and loads make them, and loads write as fast as DynamoDB lets them.
 *
 * CloudWatch counts an index apart from its table. Source: DynamoDB developer guide, "DynamoDB metrics and dimensions".
 */
export function measureTableThrottles(tables: Tables): readonly Metric[] {
  const { jobs, access, catalogue, contents, webhooks } = tables
  const reads = [jobs, access, catalogue, contents, webhooks].map(({ tableName }) =>
    measureThrottles('ReadThrottleEvents', { TableName: tableName }),
  )
  const writes = [jobs, webhooks].map(({ tableName }) =>
    measureThrottles('WriteThrottleEvents', { TableName: tableName }),
  )
  return [...reads, ...writes, ...measureIndexes(jobs, jobsTable), ...measureIndexes(webhooks, webhooksTable)]
}

function measureIndexes({ tableName }: { readonly tableName: string }, { indexes = [] }: TableSchema) {
  return indexes.map(({ name }) =>
    measureThrottles('WriteThrottleEvents', { TableName: tableName, GlobalSecondaryIndexName: name }),
  )
}

const measureThrottles = (metricName: string, dimensionsMap: Readonly<Record<string, string>>): Metric =>
  new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: Stats.SUM, period: metricPeriod })
