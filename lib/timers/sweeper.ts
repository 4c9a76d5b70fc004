import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'

/** Runs the sweeper once a minute. No retries: the next sweep makes up for a missed one. */
export class Sweeper extends Construct {
  constructor(scope: Construct, id: string, { sweepSearches }: { readonly sweepSearches: IFunction }) {
    super(scope, id)
    new Rule(this, 'EveryMinute', {
      description: 'Makes sure that every accepted search ends',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(sweepSearches, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    })
  }
}
