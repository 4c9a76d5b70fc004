import { Duration } from 'aws-cdk-lib'
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'

/** Adds the queue of events that no function could handle. Only the sweeper still finds their jobs. */
export const addDeadLetters = (scope: Construct) =>
  new Queue(scope, 'DeadLetters', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  })

/**
 * Ends the jobs of executions that no Catch handles: timed out, aborted, or stopped by the engine. Source: Step
 * Functions developer guide, "Error names" (`States.Runtime` and `States.DataLimitExceeded` are not caught).
 *
 * @param recordFailure fails the job of an execution that ended before its job
 */
export function handleBrokenExecutions(
  scope: Construct,
  { stateMachineArn }: IStateMachine,
  recordFailure: IFunction,
  deadLetters: IQueue,
): void {
  new Rule(new Construct(scope, 'BrokenExecutions'), 'Rule', {
    description: 'Executions that ended without ending their job',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    },
    targets: [
      new LambdaFunction(recordFailure, {
        // The detail is passed unchanged: its `input` is JSON as text, and input templates do not escape quotes.
        // Source: EventBridge user guide, "Common issues with transforming input".
        event: RuleTargetInput.fromEventPath('$.detail'),
        deadLetterQueue: deadLetters,
        maxEventAge: Duration.hours(2),
        retryAttempts: 10,
      }),
    ],
  })
}
