import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

/** Calls a function once in so many minutes. No retries: the next call makes up for a failed one. */
export function addTimer(scope: Construct, id: string, called: IFunction, description: string, minutes = 1): void {
  new Rule(scope, id, {
    description,
    schedule: Schedule.rate(Duration.minutes(minutes)),
    targets: [new LambdaFunction(called, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
}
