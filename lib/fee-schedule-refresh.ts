import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import { ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'
import type { WarehouseDescription } from './warehouse-description.ts'
import { grantReadRows, grantRunQueries, grantWatchQueries } from './warehouse-description.ts'

export interface FeeScheduleRefreshProps {
  readonly warehouse: WarehouseDescription
  readonly tables: Tables
  /** The variables that lead to the warehouse's Athena. */
  readonly athena: { readonly WORKGROUP: string; readonly DATABASE: string }
}

/** How often the relation is read unless the warehouse says otherwise, in minutes. */
const usualRefreshMinutes = 15

/** Adds the timer that fills the catalogue from an operator's own relation `fee_schedules`, and its function. */
export function addFeeScheduleRefresh(
  scope: Construct,
  { warehouse, tables, athena }: FeeScheduleRefreshProps,
): ServiceFunction<'refresh-fee-schedules'> {
  const refresh = new ServiceFunction(scope, 'RefreshFeeSchedules', {
    operation: 'refresh-fee-schedules',
    environment: { CATALOGUE_TABLE: tables.catalogue.tableName, ...athena },
    // It waits for its query for four minutes.
    timeout: Duration.minutes(5),
  })
  tables.allow(refresh, tables.catalogue, 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Scan')
  grantRunQueries(scope, refresh, warehouse)
  grantWatchQueries(scope, refresh, warehouse)
  grantReadRows(scope, refresh, warehouse)
  new Rule(scope, 'RefreshTimer', {
    description: 'Reads which fee schedules the relation fee_schedules has',
    schedule: Schedule.rate(Duration.minutes(warehouse.refreshMinutes ?? usualRefreshMinutes)),
    // A refresh that fails is made up for by the next.
    targets: [new LambdaFunction(refresh, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
  return refresh
}
