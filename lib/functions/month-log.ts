import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup, type LogGroupProps, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

/** A log that keeps its lines for a month and is deleted with its stage. */
export class MonthLog extends LogGroup {
  constructor(scope: Construct, id: string, props: Pick<LogGroupProps, 'logGroupName'> = {}) {
    super(scope, id, { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY, ...props })
  }
}
