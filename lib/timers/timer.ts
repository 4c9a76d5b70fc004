import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

export interface TimerProps {
  /** The function to call. Nothing else may call it asynchronously, because failed events would not be repeated. */
  readonly target: IFunction
  /** Purpose of the timer, as the console shows it. */
  readonly description: string
  /** Interval between calls, in minutes. @default 1 */
  readonly minutes?: number
}

/**
 * Calls a function at a fixed interval.
 *
 * A call that fails or waits too long is not repeated, because the next call makes up for it. This must be set twice:
 * for EventBridge, which hands the event over, and for Lambda, whose queue of asynchronous calls would otherwise repeat
 * the event twice and keep it for six hours. Source: Lambda developer guide, "How Lambda handles errors and retries
 * with asynchronous invocation".
 */
export function addTimer(scope: Construct, id: string, { target, description, minutes = 1 }: TimerProps): void {
  target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) })
  new Rule(scope, id, {
    description,
    schedule: Schedule.rate(Duration.minutes(minutes)),
    targets: [new LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
  })
}
