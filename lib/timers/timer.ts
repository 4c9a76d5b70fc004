import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

/**
 * Calls a function at a fixed interval, in minutes. Nothing repeats a call that fails or waits too long, because the next
 * call makes up for it: neither EventBridge, which hands the event over, nor Lambda, whose queue of asynchronous calls
 * would otherwise repeat it twice and keep it for six hours. Source: Lambda developer guide, "How Lambda handles errors and
 * retries with asynchronous invocation".
 *
 * @param called a function that nothing else calls asynchronously: events would not be repeated either
 */
export function addTimer(scope: Construct, id: string, called: IFunction, description: string, minutes = 1): void {
  called.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) })
  new Rule(scope, id, {
    description,
    schedule: Schedule.rate(Duration.minutes(minutes)),
    targets: [new LambdaFunction(called, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
}
