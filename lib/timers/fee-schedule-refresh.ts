import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import { ServiceFunction } from '../functions/service-function.ts'
import type { Tables } from '../storage/tables.ts'
import type { WarehouseDescription } from '../warehouse/warehouse-description.ts'
import { grantReadRows, grantRunQueries, grantWatchQueries } from '../warehouse/warehouse-description.ts'

export interface FeeScheduleRefreshProps {
  readonly warehouse: WarehouseDescription
  readonly tables: Tables
  /** Environment variables for the warehouse's Athena. */
  readonly athena: { readonly WORKGROUP: string; readonly DATABASE: string }
}

/** Default interval between refreshes, in minutes. */
const defaultRefreshMinutes = 15

/** Adds the timer and function that fill the catalogue from an operator's relation `fee_schedules`. */
export function addFeeScheduleRefresh(
  scope: Construct,
  { warehouse, tables, athena }: FeeScheduleRefreshProps,
): ServiceFunction<'refresh-fee-schedules'> {
  const refresh = new ServiceFunction(scope, 'RefreshFeeSchedules', {
    operation: 'refresh-fee-schedules',
    environment: { CATALOGUE_TABLE: tables.catalogue.tableName, ...athena },
    // It waits up to four minutes for its query.
    timeout: Duration.minutes(5),
  })
  tables.allow(refresh, tables.catalogue, 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Scan')
  grantRunQueries(scope, refresh, warehouse)
  grantWatchQueries(scope, refresh, warehouse)
  grantReadRows(scope, refresh, warehouse)
  new Rule(scope, 'RefreshTimer', {
    description: 'Refreshes the catalogue from the relation fee_schedules',
    schedule: Schedule.rate(Duration.minutes(warehouse.refreshMinutes ?? defaultRefreshMinutes)),
    // No retries: the next refresh makes up for a failed one.
    targets: [new LambdaFunction(refresh, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
  return refresh
}
